import { statsJson, statsSince, wordFor, type RuleAnswers, type Stats } from '@subluminal/records';
import type { Command } from 'commander';
import { counted } from '../output/counted.js';
import { escapeText } from '../output/escape.js';
import type { Output } from '../output/output.js';
import { pairs, table, wrapped } from '../output/table.js';
import { dayAndTime } from '../output/time.js';
import { EXIT } from '../program/exit/codes.js';
import { moment } from '../program/flags.js';
import type { Does } from '../program/verb.js';
import { withRecord } from '../record/open.js';

const WEEK_MS = 7 * 86_400_000;
/** After fewer calls it says nothing of a rule that it decided none of them. */
const MIN_CALLS = 30;
/** More silent rules than a person reads are counted. */
const MAX_SILENT = 12;

const FLAGS = { since: moment('<when>', 'from then on, as `12h`, `monday` or a date (default: 7d)') };

const COLUMNS = [
  { title: 'RULE', max: 60, min: 16 },
  { title: 'DECIDED', align: 'right' },
  { title: 'ASKED', align: 'right' },
  { title: 'YES', align: 'right' },
  { title: 'NO', align: 'right' },
] as const;

/** Decisions, in the order in which they are told. */
const DECISIONS = ['ALLOW', 'BLOCK', 'REJECT_WITH_HINT', 'ASKED', 'THROTTLE', 'TERMINATE_RUN'] as const;

/** `sub stats`: what the policy did, and how much it asked. Works without a gateway. */
export function define(command: Command, does: Does): void {
  does(command, FLAGS, async (call) => {
    const since = call.flags.since ?? call.session.now() - WEEK_MS;
    const stats = await withRecord(call.home, (reader) => statsSince(reader, since));
    if (call.output.json) call.output.value(statsJson(stats));
    else print(call.output, stats);
    if (stats.isCut) call.output.note('only the newest decisions were counted: there are more since then');
    return EXIT.done;
  });
}

function print(output: Output, stats: Stats): void {
  const { paint, width } = output;
  output.lines(
    pairs(
      [
        ['since', { text: dayAndTime(stats.sinceMs) }],
        ['calls', { text: callsText(stats) }],
        ['questions', { text: questionsText(stats) }],
      ],
      paint,
      width,
    ),
  );
  if (stats.rules.length > 0) {
    const rows = stats.rules.map(({ ruleId, decided, questions, yes, no }) => [
      { text: ruleId },
      ...[decided, questions, yes, no].map((count) => ({ text: count === 0 ? '' : String(count) })),
    ]);
    output.lines(['', ...table(COLUMNS, rows, output)]);
  }
  const ways = [...stats.rules.flatMap(wideText), ...silentText(stats)];
  for (const way of ways) output.lines(['', ...wrapped(way, width)]);
}

function callsText({ calls }: Stats): string {
  const parts = DECISIONS.flatMap((code) => {
    const count = calls.get(code) ?? 0;
    return count === 0 ? [] : [`${count} ${wordFor(code)}`];
  });
  const total = totalOf(calls);
  return parts.length === 0 ? 'none' : `${total}: ${parts.join(', ')}`;
}

function totalOf(calls: Stats['calls']): number {
  return [...calls.values()].reduce((sum, count) => sum + count, 0);
}

function questionsText({ questions, yes, no, hours }: Stats): string {
  if (questions === 0) return 'none';
  const pace = (questions / Math.max(1, hours)).toFixed(1);
  return `${questions}, ${pace} in an hour with calls; ${shareText({ yes, no })}`;
}

/** How many answers were yes. */
export function shareText({ yes, no }: Pick<RuleAnswers, 'no' | 'yes'>): string {
  const answers = yes + no;
  if (answers === 0) return 'nobody has answered';
  return `${yes} of ${counted(answers, 'answer')} yes (${Math.round((100 * yes) / answers)} %)`;
}

/** A rule that asks too much, and the edit that would narrow it. */
function wideText({ ruleId, yes, no, example, ...rule }: Stats['rules'][number]): readonly string[] {
  if (!rule.isTooWide) return [];
  const what = `rule ${escapeText(ruleId)} is too wide: ${shareText({ yes, no })}`;
  if (example === undefined) return [what];
  return [
    `${what}; \`sub hints promote ${example} --persist\` writes an allow above it for calls like the last yes, and shows it first`,
  ];
}

function silentText({ silent, calls }: Stats): readonly string[] {
  const count = totalOf(calls);
  if (count === 0) return [];
  if (count < MIN_CALLS)
    return [
      `${counted(count, 'call')} ${count === 1 ? 'is' : 'are'} too few to tell which rules decide nothing`,
    ];
  if (silent === undefined) return ['which rules decided nothing cannot be told: the policy is not kept'];
  if (silent.length === 0) return [];
  const more = silent.length - MAX_SILENT;
  const names = silent.slice(0, MAX_SILENT).map((ruleId) => escapeText(ruleId));
  const rest = more > 0 ? ` and ${more} more (\`--json\`)` : '';
  return [`${counted(silent.length, 'rule')} decided nothing: ${names.join(', ')}${rest}`];
}
