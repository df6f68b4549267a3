import type { Command } from 'commander';
import { EXIT } from '../../exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { escapeText } from '../../output/escape.js';
import { objectAt, textAt } from '../../output/fields.js';
import { subVerb, takesId, type Does } from '../../program/verb.js';

const ADVICE = { not_found: '`sub allow list` shows the ids' } as const;

const DONE = { remove: 'removed', deactivate: 'deactivated' } as const;

/** `sub allow remove ID` and `sub allow deactivate ID`. */
export function defineChange(group: Command, does: Does, name: keyof typeof DONE, summary: string): void {
  takesId(subVerb(group, name, summary), '<id>', 'the id that `sub allow list` shows').action(
    does(async (call) => {
      assertOutsideRun(call.home);
      const id = call.id(0, 'id');
      const data = await askOperator(call.home, call.session.now, `allow.${name}`, { id }, ADVICE);
      const entry = objectAt(data, 'entry');
      if (call.output.json) call.output.value(entry);
      else call.output.line(`${DONE[name]} \`${escapeText(textAt(entry, 'domain'))}\``);
      return EXIT.done;
    }),
  );
}
