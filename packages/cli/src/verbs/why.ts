import { outcomeOf } from '@subluminal/records';
import type { Command } from 'commander';
import { isOutsideRun } from '../gateway/outside-run.js';
import { EXIT } from '../program/exit/codes.js';
import { takesId, type Does } from '../program/verb.js';
import { endJson } from '../record/asked.js';
import { nameOf, reasonOf } from '../record/lines.js';
import { withRecord } from '../record/open.js';
import { whyLines } from '../why/lines.js';
import { refusalOf, refused, type Refusal } from '../why/refusal.js';

/** `sub why [CALL]`: why a call was refused, by which lines of the policy, and how to go on. */
export function define(command: Command, does: Does): void {
  does(
    takesId(command, '[call]', 'its id or the number of its entry; the last refusal unless given'),
    {},
    async (call) => {
      const named = call.optionalId('call');
      const refusal = await withRecord(call.home, (reader) =>
        refusalOf(call, reader, refused(reader, named)),
      );
      if (call.output.json) call.output.value(asJson(refusal));
      else {
        const { output, session } = call;
        const { paint, width } = output;
        const isOutside = await isOutsideRun(call);
        output.lines(whyLines(refusal, { paint, width, now: session.now(), isOutside }));
      }
      return EXIT.done;
    },
  );
}

function asJson({
  record,
  callId,
  ruleId,
  rule,
  isChanged,
  tooWide,
  end,
}: Refusal): Readonly<Record<string, string | number | boolean | null | Readonly<Record<string, string>>>> {
  return {
    seq: record.first.seq,
    call_id: callId === '' ? null : callId,
    what: nameOf(record),
    object: record.object,
    outcome: outcomeOf(record),
    why: reasonOf(record),
    rule_id: ruleId === '' ? null : ruleId,
    rule_line: rule?.line ?? null,
    rule_text: rule?.text ?? null,
    policy_changed: isChanged,
    too_wide: tooWide !== undefined,
    answer: endJson(end),
  };
}
