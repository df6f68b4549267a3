import { outcomeOf, type CallRecord } from '@subluminal/records';
import type { Command } from 'commander';
import { isOutsideRun } from '../gateway/outside-run.js';
import { clipObject, escapeText } from '../output/escape.js';
import { wrapped } from '../output/table.js';
import { ago } from '../output/time.js';
import type { Call } from '../program/call.js';
import { shellWord } from '../program/completion/shell-word.js';
import { EXIT } from '../program/exit/codes.js';
import { takesId, type Does } from '../program/verb.js';
import { endedText, endJson } from '../record/asked.js';
import { nameOf, reasonOf, shortRun, verdictOf } from '../record/lines.js';
import { withRecord } from '../record/open.js';
import { refusalOf, refused, type Refusal } from '../why/refusal.js';
import { ruleExcerpt } from '../why/rule-excerpt.js';
import { waysOf } from '../why/ways.js';
import { shareText } from './stats.js';

/** A longer object is cut. */
const MAX_OBJECT = 240;

/** `sub why [CALL]`: why a call was refused, by which lines of the policy, and how to go on. */
export function define(command: Command, does: Does): void {
  does(
    takesId(command, '[call]', 'its id or the number of its entry; the last refusal unless given'),
    {},
    async (call) => {
      const named = call.args.length === 0 ? undefined : call.id(0, 'call');
      const refusal = await withRecord(call.home, (reader) =>
        refusalOf(call, reader, refused(reader, named)),
      );
      if (call.output.json) call.output.value(asJson(refusal));
      else print(call, refusal, await isOutsideRun(call));
      return EXIT.done;
    },
  );
}

function print(call: Call, refusal: Refusal, isOutside: boolean): void {
  const { record, rule, isChanged, tooWide } = refusal;
  const { output, session } = call;
  const { text: verdict } = verdictOf(record);
  const object = record.object === null ? '' : ` \`${clipObject(escapeText(record.object), MAX_OBJECT)}\``;
  const when = ago(record.first.ts, session.now());
  const what = `${escapeText(nameOf(record))}${object}: ${verdict} ${when}, in run ${shortRun(record.first.runId)}`;
  const reason = escapeText(reasonOf(record)) || 'nothing stood against it';
  const end = refusal.end === undefined ? [] : [escapeText(endedText(refusal.end))];
  output.lines([what, reason, ...end].flatMap((text) => wrapped(text, output.width)));
  if (rule !== undefined) {
    output.line('');
    output.line(
      output.paint('dim', `${escapeText(rule.file)}:${rule.line}${isChanged ? ' (changed since)' : ''}`),
    );
    output.lines(excerptLines(rule, record));
  }
  const ways = [
    ...(tooWide === undefined || !isOutside
      ? []
      : [`the rule is too wide: ${shareText(tooWide)}; \`sub stats\` names the edit that would narrow it`]),
    ...waysOf(refusal, isOutside),
  ];
  if (ways.length === 0) return;
  output.line('');
  output.lines(ways.flatMap((way) => wrapped(way, output.width)));
}

/** The rule, or of a long one the lines that fit the call, as far in as in the file. */
function excerptLines(
  { file, line, text }: NonNullable<Refusal['rule']>,
  record: CallRecord,
): readonly string[] {
  const shown = ruleExcerpt(text, record);
  const lines = shown.map((one) =>
    one === undefined ? '  …' : escapeText(one.at === 0 ? `  ${one.text}` : one.text),
  );
  if (!shown.includes(undefined)) return lines;
  const end = line + text.split('\n').length - 1;
  return [...lines, `all of it: \`sed -n ${line},${end}p ${shellWord(escapeText(file))}\``];
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
