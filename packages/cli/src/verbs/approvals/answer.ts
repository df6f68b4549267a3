import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { escapeText } from '../../output/escape.js';
import { subVerb, takesId, type Does } from '../../program/verb.js';

const ADVICE = { approval_not_found: '`sub approvals list` shows what is open' } as const;

const DONE = {
  approve: 'approved: the next attempt with the same content goes through, once',
  deny: 'denied',
} as const;

/** `sub approvals approve ID` and `sub approvals deny ID`. */
export function defineAnswer(group: Command, does: Does, name: keyof typeof DONE, summary: string): void {
  does(
    takesId(subVerb(group, name, summary), '<id>', 'the id that `sub approvals list` shows'),
    {},
    async (call) => {
      await assertOutsideRun(call);
      const id = call.id(0, 'id');
      const payload = { approval_id: id };
      const data = await askOperator(call.home, call.session.now, `approvals.${name}`, payload, ADVICE);
      if (call.output.json) call.output.value(data);
      else call.output.line(`\`${escapeText(id)}\` ${DONE[name]}`);
      return EXIT.done;
    },
  );
}
