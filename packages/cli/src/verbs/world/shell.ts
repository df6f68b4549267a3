import { SublError } from '@subluminal/core-types';
import type { CommandEnd } from '@subluminal/worlds';
import type { Command } from 'commander';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import type { Call } from '../../program/call.js';
import { subVerb, type Does } from '../../program/verb.js';
import { WORLD_FLAGS, type WorldFlags } from '../../run/command/flags.js';
import { viewOfFlags } from '../../run/command/world-flags.js';
import { backendOf } from '../../world/backend/backend-of.js';
import { endOfCommand } from '../../world/command-end.js';
import { leavesTerminal } from '../../world/session/leaves-terminal.js';

/** `sub world shell`: a shell in the world of the folder. */
export function defineShell(group: Command, does: Does): void {
  does(subVerb(group, 'shell', 'open a shell in the world of this folder'), WORLD_FLAGS, (call) =>
    endOfCommand(call, run),
  );
}

async function run(call: Call<WorldFlags>): Promise<CommandEnd> {
  await assertOutsideRun(call);
  if (leavesTerminal())
    throw new SublError('usage', 'a shell needs the whole terminal, and a part of it is redirected', {
      help: '`sub world exec -- sh -c …` runs a script',
    });
  const view = viewOfFlags(call);
  const ended = await backendOf(call).exec(view, [view.identity.user.shell]);
  if (ended !== undefined) return ended;
  throw new SublError('not_available', 'the policy gives each command a world of its own', {
    help: 'end the other one first',
  });
}
