import type { Command } from 'commander';
import { EXIT } from '../../exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { printable } from '../../output/printable.js';
import { subVerb, type Does } from '../../program/verb.js';

/** `sub policy show`: the policy that decides now, and what the gateway says of its file. */
export function defineShow(group: Command, does: Does): void {
  subVerb(group, 'show', 'show the policy that decides now').action(
    does(async (call) => {
      const policy = await askOperator(call.home, call.session.now, 'policy.show');
      if (call.output.json) call.output.value(policy);
      else call.output.lines(printable(policy));
      return EXIT.done;
    }),
  );
}
