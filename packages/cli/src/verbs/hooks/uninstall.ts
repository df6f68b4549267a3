import type { Command } from 'commander';
import { handsOf, machineOf } from '../../clients/command/operands.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { HOOK_CLIENT_NAMES, namedHookClients } from '../../hooks/all.js';
import { removeHooks, type RemovedHooks } from '../../hooks/remove.js';
import { escapeText } from '../../output/escape.js';
import type { Output } from '../../output/output.js';
import { EXIT } from '../../program/exit/codes.js';
import { flag } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';

const FLAGS = { dryRun: flag('show what would change, and change nothing') };

/** `sub hooks uninstall CLIENT`. */
export function defineUninstall(group: Command, does: Does): void {
  does(
    subVerb(group, 'uninstall', 'take the hooks out of a client again').argument(
      '[client]',
      HOOK_CLIENT_NAMES,
    ),
    FLAGS,
    async (call) => {
      await assertOutsideRun(call);
      const { dryRun } = call.flags;
      const removed = await removeHooks(call.home.home, namedHookClients(call), {
        where: machineOf(call),
        hands: handsOf(call),
        isDry: dryRun,
      });
      for (const one of removed) showRemoved(call.output, one, dryRun);
      return removed.every(({ problem }) => problem === undefined) ? EXIT.done : EXIT.failed;
    },
  );
}

/** One client's hooks, as they were taken back. */
export function showRemoved(output: Output, { client, files, problem }: RemovedHooks, isDry: boolean): void {
  if (output.json) {
    output.value({
      client: client.name,
      dry_run: isDry,
      files: files.map(({ path, how }) => ({ path, how })),
      ...(problem === undefined ? {} : { problem: problem.message }),
    });
    return;
  }
  for (const { path, how, isGone } of files) {
    if (how === 'none') continue;
    const whole =
      isGone === true ? 'was made for the hooks, and is removed' : 'is what it was, byte for byte';
    const what = how === 'bytes' ? whole : 'has no hooks of ours any more';
    output.line(`${client.title}: ${escapeText(path)} ${isDry ? 'would be changed' : what}`);
  }
  if (problem !== undefined) output.note(`${client.title}: ${escapeText(problem.message)}`);
  else if (files.every(({ how }) => how === 'none'))
    output.line(`${client.title}: no hooks of ours were there`);
}
