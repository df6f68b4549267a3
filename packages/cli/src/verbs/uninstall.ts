import { readdirSync } from 'node:fs';
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
  assertOutsideRun(call.home);
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
  const stopped = hasHome ? await stopGateway(call.home, call.session.now) : undefined;
  const removed = hasHome ? removeHome(call.home, deleteLedger) : { kept: [], strange: [] };
  if (call.output.json) {
    const { kept, strange } = removed;
    const json = files.map((one) => restoreJson(one, false));
    call.output.value({ removed: hasHome, home, stopped: stopped ?? null, kept, strange, files: json });
  } else call.output.lines(lines(call, hasHome, stopped, removed));
  return EXIT.done;
}

/** A folder that was named by mistake is not emptied. */
function assertIsHome(call: Call): void {
  const names = readdirSync(call.home.home);
  if (names.length === 0 || names.some((name) => ['gateway.db', 'ledger.db', 'imports'].includes(name)))
    return;
  throw new SublError('home_missing', `\`${call.home.home}\` is no home of \`sub\``, {
    help: 'nothing was changed; name the home with `--home`',
  });
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
