import { isSublError, SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { report } from '../../program/report.js';
import { subVerb, type Does } from '../../program/verb.js';
import { WORLD_FLAGS } from '../../run/command/flags.js';
import { viewOfFlags } from '../../run/command/world-flags.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { backendOf } from '../../world/backend/backend-of.js';
import { leavesTerminal, told } from './exec.js';

const OURS = 125;

/** `sub world shell`: a shell in the world of the folder. */
export function defineShell(group: Command, does: Does): void {
  does(subVerb(group, 'shell', 'open a shell in the world of this folder'), WORLD_FLAGS, async (call) => {
    try {
      await assertOutsideRun(call);
      if (leavesTerminal())
        throw new SublError('usage', 'a shell needs the whole terminal, and a part of it is redirected', {
          help: '`sub world exec -- sh -c …` runs a script',
        });
      const view = viewOfFlags(call);
      const ended = await backendOf(call).exec(view, [view.identity.user.shell]);
      if (ended === undefined)
        throw new SublError('not_available', 'the policy gives each command a world of its own', {
          help: 'end the other one first',
        });
      return told(call, ended);
    } catch (error) {
      if (!isSublError(error)) throw error;
      report(error, call.output);
      return OURS;
    }
  });
}
