import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { homeExists } from '@subluminal/ipc';
import type { Command } from 'commander';
import { CLIENTS } from '../clients/all.js';
import { EXIT } from '../exit/codes.js';
import { assertOutsideRun } from '../gateway/outside-run.js';
import { stopGateway } from '../gateway/stop.js';
import { removeHome, type Removed } from '../home/remove.js';
import { agrees, assertAskable, YES } from '../output/ask.js';
import { escapeText } from '../output/escape.js';
import type { Call } from '../program/call.js';
import type { Does } from '../program/verb.js';
import { machineOf } from './clients/operands.js';
import { isComplete, restoreClients } from './clients/restore.js';
import { restoreJson, restoreLines } from './clients/restore-lines.js';

/** `sub uninstall`: what clients start is what they started before, and nothing of this home runs or is left but its record. */
export function define(command: Command, does: Does): void {
  command
    .option('--delete-ledger', 'remove the record as well; nothing can show then what was done')
    .option(...YES)
    .action(does(uninstall));
}

async function uninstall(call: Call): Promise<number> {
  await assertOutsideRun(call);
  const hasHome = homeExists(call.home);
  if (hasHome) assertIsHome(call);
  const { home } = call.home;
  const deleteLedger = call.flag('deleteLedger');
  assertAskable(call);
  const what = deleteLedger ? 'and its record' : 'but for its record';
  if (
    !(await agrees(call, `restore all clients, stop the gateway, remove \`${escapeText(home)}\` ${what}?`))
  ) {
    call.output.note('nothing was changed');
    return EXIT.failed;
  }
  const files = await restoreClients(call, CLIENTS, machineOf(call), false);
  if (!call.output.json) call.output.lines(restoreLines(call, files, false));
  if (!isComplete(files)) {
    if (call.output.json)
      call.output.value({ removed: false, files: files.map((one) => restoreJson(one, false)) });
    else call.output.note('the home stays, since there are servers that may still need it');
    return EXIT.failed;
  }
  const stopped = hasHome
    ? await stopGateway(call.home, call.session.now, (remark) => call.output.note(remark))
    : undefined;
  const removed = hasHome ? removeHome(call.home, deleteLedger) : { kept: [], strange: [] };
  if (call.output.json) {
    const { kept, strange } = removed;
    const json = files.map((one) => restoreJson(one, false));
    call.output.value({ removed: hasHome, home, stopped: stopped ?? null, kept, strange, files: json });
  } else call.output.lines(lines(call, hasHome, stopped, removed));
  return EXIT.done;
}

/** A folder that was named by mistake is not emptied: others have folders named `imports`, `keys` and `logs` too. */
function assertIsHome(call: Call): void {
  const { home } = call.home;
  const names = readdirSync(home);
  const isHome = names.some((name) => ['gateway.db', 'ledger.db'].includes(name));
  if (names.length === 0 || isHome || (names.includes('imports') && areImports(join(home, 'imports'))))
    return;
  throw new SublError('home_missing', `\`${home}\` is no home of \`sub\``, {
    help: 'nothing was changed; name the home with `--home`',
  });
}

/** Whether a folder holds what `sub import` writes and nothing else. */
function areImports(path: string): boolean {
  if (!statSync(path).isDirectory()) return false;
  const names = readdirSync(path);
  const isOurs = (name: string): boolean =>
    name === 'backup' ||
    CLIENTS.some((client) => [`${client.name}.json`, `${client.name}.lock`].includes(name));
  return names.length > 0 && names.every((name) => isOurs(name.replace(/\.[0-9]{1,10}\.new$/, '')));
}

function lines(
  call: Call,
  hasHome: boolean,
  stopped: number | undefined,
  { kept, strange }: Removed,
): readonly string[] {
  const { home } = call.home;
  if (!hasHome) return [`there was no home at \`${escapeText(home)}\``];
  return [
    stopped === undefined ? 'no gateway was running' : `the gateway has stopped (pid ${stopped})`,
    kept.length === 0 && strange.length === 0
      ? `removed \`${escapeText(home)}\``
      : `removed all else in \`${escapeText(home)}\`; left there:`,
    ...kept.map((path) => `  ${escapeText(path)}`),
    ...strange.map((path) => `  ${escapeText(path)} (not of \`sub\`)`),
    ...(kept.length === 0 ? [] : [`\`sub audit verify\` still proves the record`]),
  ];
}
