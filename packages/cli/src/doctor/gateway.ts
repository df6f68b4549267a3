import { existsSync } from 'node:fs';
import { isSublError, numberAt, textAt, type JsonValue } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { askOperator } from '../gateway/door.js';
import { versionText } from '../gateway/version-text.js';
import { countsText, waitingCounts } from '../inbox/counts.js';
import { isLauncherOurs, textOf } from '../home/launcher.js';
import type { Where } from '../inbox/waiting.js';
import { failedWith, found, ok, type Check } from './check.js';

/** Does a gateway answer, and does it prove that it holds this home's keys? */
export async function checkGateway(home: HomePaths, now: () => number): Promise<Check> {
  try {
    const status = await askOperator(home, now, 'gateway.status');
    const stopped = panicCheck(status);
    if (stopped !== undefined) return stopped;
    const full = budgetCheck(status);
    if (full !== undefined) return full;
    const refused = policyCheck(status);
    if (refused !== undefined) return refused;
    const other = versionText(textAt(status, 'version'));
    if (other !== undefined) return found('gateway', 'warn', other.message, other.help);
    const index = textAt(status, 'ledger', 'index', 'failure');
    if (index !== '') {
      const what = `\`index.db\` is not kept (${index}): listings take longer`;
      return found('gateway', 'warn', what, 'remove `index.db` while the gateway is down: it is made anew');
    }
    const closed = textAt(status, 'http', 'problem');
    if (closed !== '') {
      const what = `remote MCP servers are not reached: ${closed}`;
      return found('gateway', 'warn', what, 'end what listens there, or set `[http] port` in config.toml');
    }
    return ok(
      'gateway',
      `version ${textAt(status, 'version')}, pid ${numberAt(status, 'pid') ?? 'unknown'}, answers`,
    );
  } catch (error) {
    const absent = isSublError(error, 'gateway_unreachable') && error.details?.['absent'] === true;
    if (absent || isSublError(error, 'key_missing', 'home_missing')) {
      return found(
        'gateway',
        'warn',
        'no gateway is running',
        'run `sub up`; `sub run` and `sub shim` start it by themselves',
      );
    }
    return failedWith('gateway', error, `look into \`${home.gatewayLog}\``);
  }
}

/** Whether something waits for a person; undefined where nobody tells. */
export async function checkWaiting(where: Where): Promise<Check | undefined> {
  const counts = await waitingCounts(where);
  if (counts === undefined) return undefined;
  if (counts.size === 0) return ok('waiting', 'nothing waits for an answer');
  return found('waiting', 'warn', `for you: ${countsText(counts)}`, 'run `sub approvals list`');
}

/** Everything is stopped: nothing else matters as long as it is. */
function panicCheck(status: JsonValue): Check | undefined {
  const since = textAt(status, 'panicked', 'since');
  if (since === '') return undefined;
  return found(
    'gateway',
    'warn',
    `everything is stopped since ${since}`,
    'let runs begin again with `sub resume`',
  );
}

/** A policy file that the gateway does not take. */
function policyCheck(status: JsonValue): Check | undefined {
  const message = textAt(status, 'policy', 'error', 'message');
  if (message === '') return undefined;
  const help = textAt(status, 'policy', 'error', 'help');
  const what = `policy.yaml is not in force: ${message}`;
  return found('gateway', 'warn', what, help === '' ? 'run `sub policy lint` for every mistake' : help);
}

/** A ledger that comes to the end of what it may take of the disk. */
function budgetCheck(status: JsonValue): Check | undefined {
  const level = textAt(status, 'ledger', 'budget', 'level');
  const percent = Math.floor(
    (100 * (numberAt(status, 'ledger', 'budget', 'used_bytes') ?? 0)) /
      (numberAt(status, 'ledger', 'budget', 'max_bytes') ?? Number.POSITIVE_INFINITY),
  );
  const help =
    'raise `ledger.max_mb` in config.toml, or move files of `segments/`, all but the newest, to another disk';
  if (level === 'full')
    return found('gateway', 'fail', 'the ledger has used up `ledger.max_mb`: nothing new begins', help);
  if (level !== 'warn' && level !== 'previews') return undefined;
  return found('gateway', 'warn', `the ledger has used ${percent} % of \`ledger.max_mb\``, help);
}

/** The `sub` that clients start; undefined if they start none by a launcher. */
export function checkLauncher(home: HomePaths, program: string): Check | undefined {
  const text = textOf(home.launcher);
  if (text === undefined) return undefined;
  if (isLauncherOurs(home, program))
    return ok('launcher', `clients start this \`sub\`, by \`${home.launcher}\``);
  const [, other = 'another'] = /^sub='(.*)'$/m.exec(text) ?? [];
  return found(
    'launcher',
    'warn',
    `clients start another \`sub\` than this one: \`${other}\``,
    'run `sub up` with the one that they are to start, and restart them',
  );
}

/** The program that `sub up` starts. */
export function checkProgram(program: string): Check {
  if (existsSync(program)) return ok('program', program);
  return found(
    'program',
    'fail',
    `the gateway is not built (\`${program}\`)`,
    'run `npm run build` in the clone',
  );
}
