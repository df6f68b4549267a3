import { shellWord } from '@subluminal/core-types';
import { type CallRecord, endedText, waysOf } from '@subluminal/records';
import { clipObject, escapeText } from '../output/escape.js';
import type { Surface } from '../output/style.js';
import { wrapped } from '../output/table.js';
import { ago } from '../output/time.js';
import { nameOf, reasonOf, shortRun, verdictOf } from '../record/lines.js';
import { shareText } from '../verbs/stats.js';
import type { Refusal } from './refusal.js';
import { ruleExcerpt } from './rule-excerpt.js';

/** A longer object is cut. */
const MAX_OBJECT = 240;

/** The reader of a refusal, and when. */
export interface Reader extends Surface {
  readonly now: number;
  /** The operator, who is told of ways that a run may not go. */
  readonly isOutside: boolean;
}

/** A refusal for people: what was refused and why, the rule, and how to go on. */
export function whyLines(refusal: Refusal, reader: Reader): readonly string[] {
  const ways = waysTold(refusal, reader.isOutside);
  return [
    ...verdictLines(refusal, reader),
    ...ruleLines(refusal, reader),
    ...(ways.length === 0 ? [] : ['', ...ways.flatMap((way) => wrapped(way, reader.width))]),
  ];
}

/** The verdict, and why. */
export function verdictLines({ record, end }: Refusal, { now, width }: Reader): readonly string[] {
  const { text: verdict } = verdictOf(record);
  const object = record.object === null ? '' : ` \`${clipObject(escapeText(record.object), MAX_OBJECT)}\``;
  const when = ago(record.first.ts, now);
  const what = `${escapeText(nameOf(record))}${object}: ${verdict} ${when}, in run ${shortRun(record.first.runId)}`;
  const reason = escapeText(reasonOf(record)) || 'nothing stood against it';
  const ended = end === undefined ? [] : [escapeText(endedText(end))];
  return [what, reason, ...ended].flatMap((text) => wrapped(text, width));
}

/** How to go on, a sentence each. */
export function waysTold(refusal: Refusal, isOutside: boolean): readonly string[] {
  const { tooWide } = refusal;
  return [
    ...(tooWide === undefined || !isOutside
      ? []
      : [`the rule is too wide: ${shareText(tooWide)}; \`sub stats\` names the edit that would narrow it`]),
    ...waysOf(refusal, isOutside).map(escapeText),
  ];
}

function ruleLines({ record, rule, isChanged }: Refusal, { paint }: Reader): readonly string[] {
  if (rule === undefined) return [];
  const place = `${escapeText(rule.file)}:${rule.line}${isChanged ? ' (changed since)' : ''}`;
  return ['', paint('dim', place), ...excerptLines(rule, record)];
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
