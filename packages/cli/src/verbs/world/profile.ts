import type { Command } from 'commander';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { assertAskable, YES } from '../../output/ask.js';
import { subVerb, type Does } from '../../program/verb.js';

const FLAGS = { yes: YES };

/**
 * `sub world profile SERVER`: the hosts that worlds of the server reached become all that they may reach, by
 * a profile in the operator's policy.
 */
export function defineProfile(group: Command, does: Does): void {
  does(
    subVerb(group, 'profile', 'have worlds of a server reach what they reached, and nothing else').argument(
      '<server>',
      'the server, as `--server` of its shim names it',
    ),
    FLAGS,
    async (call) => {
      await assertOutsideRun(call);
      assertAskable(call);
      // The editor of policies is larger than all other verbs of worlds together.
      const { narrowed } = await import('../../world/profile.js');
      return narrowed(call);
    },
  );
}
