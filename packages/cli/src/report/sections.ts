import type { Report, ReportedFile, ReportedQuestion, Reported } from '@subluminal/records';
import { textAt } from '@subluminal/core-types';
import { counted } from '../output/counted.js';
import { byteCount, dayAndTime } from '../output/time.js';
import { happening } from '../record/live-lines.js';
import type { Against } from './against.js';
import type { PageColumn, Section, Text } from './document.js';

const COUNT = { align: 'right' } as const;
const CODE = { max: 300, min: 16, cut: 'middle', isCode: true } as const;
const NAME = { max: 60, min: 12, cut: 'middle', isCode: true } as const;

/** Makes the tables of a report, each of `most` rows at most. Empty ones are left out. */
export function sectionsOf(report: Report, against: Against | undefined, most: number): readonly Section[] {
  const section = <Row>(
    title: string,
    { rows, left }: Reported<Row>,
    columns: readonly PageColumn[],
    row: (one: Row) => readonly Text[],
    lead?: string,
  ): Section => ({
    title,
    ...(lead === undefined ? {} : { lead }),
    columns,
    rows: rows.slice(0, most).map(row),
    more: Math.max(0, rows.length - most) + left,
  });
  const of = (rows: readonly ReportedFile[], left: number): Reported<ReportedFile> => ({ rows, left });
  const { files, hosts } = report;
  const changed = files.rows.filter(({ writes, deletes }) => writes + deletes > 0);
  const read = files.rows.filter(({ reads }) => reads > 0).toSorted((a, b) => b.reads - a.reads);
  const isRun = report.scope.runId !== undefined;
  return [
    ...(isRun
      ? []
      : [
          section(
            'Runs',
            report.runs,
            [
              { title: 'RUN' },
              { title: 'AGENT', max: 30, min: 8, isCode: true },
              { title: 'BEGAN' },
              { title: 'CALLS', ...COUNT },
              { title: 'STATUS' },
              { title: 'FOLDER', ...CODE },
            ],
            ({ runId, start, end, calls }) => [
              { text: runId.slice(-6) },
              { text: textAt(start?.data ?? null, 'agent_id') },
              { text: start === undefined ? 'before the record' : dayAndTime(start.ts) },
              count(calls),
              { text: end?.code ?? 'RUNNING', tone: end?.code === 'SUCCEEDED' ? 'good' : 'warn' },
              { text: textAt(start?.data ?? null, 'workload', 'repo_path') },
            ],
          ),
        ]),
    section(
      'Refused',
      { ...report.refusals, rows: report.refusals.rows.filter((one) => !one.isObserved) },
      REFUSED,
      refusalRow,
    ),
    section(
      'Would have been refused',
      { left: 0, rows: report.refusals.rows.filter((one) => one.isObserved) },
      REFUSED,
      refusalRow,
      'the policy only observed: these calls ran',
    ),
    section(
      'Questions',
      report.questions,
      [
        { title: 'CALL', ...COUNT },
        { title: 'ANSWER' },
        { title: 'RULE', max: 40, min: 8 },
        { title: 'ABOUT', ...CODE },
      ],
      (question) => [
        { text: question.seq === undefined ? '' : String(question.seq) },
        answerOf(question),
        { text: question.ruleId },
        { text: [question.name, question.object ?? ''].join(' ').trim() },
      ],
    ),
    section(
      'Files written or deleted',
      of(changed, files.left),
      [
        { title: 'WRITTEN', ...COUNT },
        { title: 'DELETED', ...COUNT },
        { title: 'FILE', ...CODE },
      ],
      ({ path, writes, deletes }) => [count(writes), count(deletes, 'warn'), { text: path }],
    ),
    section(
      'Commands',
      report.commands,
      [
        { title: 'TIMES', ...COUNT },
        { title: 'FAILED', ...COUNT },
        { title: 'COMMAND', ...CODE },
      ],
      ({ command, times, failed }) => [count(times), count(failed, 'bad'), { text: command }],
    ),
    section(
      'Hosts',
      hosts,
      [
        { title: 'CALLS', ...COUNT },
        { title: 'CONNECTIONS', ...COUNT },
        { title: 'UP', ...COUNT, spare: 1 },
        { title: 'DOWN', ...COUNT, spare: 1 },
        { title: 'HOST', ...CODE },
      ],
      ({ host, calls, connections, bytesUp, bytesDown }) => [
        count(calls),
        count(connections),
        { text: bytesUp === 0 ? '' : byteCount(bytesUp) },
        { text: bytesDown === 0 ? '' : byteCount(bytesDown) },
        { text: host },
      ],
    ),
    section(
      'Tools',
      report.tools,
      [
        { title: 'CALLS', ...COUNT },
        { title: 'ASKED', ...COUNT },
        { title: 'REFUSED', ...COUNT },
        { title: 'FAILED', ...COUNT },
        { title: 'SERVER', ...NAME },
        { title: 'TOOL', ...NAME },
      ],
      ({ server, tool, calls, asked, refused, failed }) => [
        count(calls),
        count(asked, 'warn'),
        count(refused, 'bad'),
        count(failed, 'bad'),
        { text: server },
        { text: tool },
      ],
    ),
    section(
      'Actions',
      report.actions,
      [
        { title: 'TIMES', ...COUNT },
        { title: 'REFUSED', ...COUNT },
        { title: 'ACTION' },
        { title: 'WHERE', ...CODE },
      ],
      ({ action, destination, times, refused }) => [
        count(times),
        count(refused, 'bad'),
        { text: action },
        { text: destination },
      ],
    ),
    section(
      'Files read',
      of(read, 0),
      [
        { title: 'READ', ...COUNT },
        { title: 'FILE', ...CODE },
      ],
      ({ path, reads }) => [count(reads), { text: path }],
    ),
    section(
      'Also',
      report.notable,
      [{ title: 'ENTRY', ...COUNT }, { title: 'WHEN' }, { title: 'WHAT', max: 300, min: 20 }],
      (row) => [
        { text: String(row.seq) },
        { text: dayAndTime(row.ts) },
        { text: happening(row) ?? row.type },
      ],
    ),
    ...(against === undefined ? [] : [stricterSection(against, most)]),
  ]
    .filter(({ rows, lead }) => rows.length > 0 || lead !== undefined)
    .filter(({ title, rows }) => title !== 'Would have been refused' || rows.length > 0);
}

const REFUSED: readonly PageColumn[] = [
  { title: 'TIMES', ...COUNT },
  { title: 'CALL', ...COUNT },
  { title: 'RULE', max: 40, min: 8 },
  { title: 'ABOUT', ...CODE },
];

function refusalRow(one: Report['refusals']['rows'][number]): readonly Text[] {
  return [
    count(one.times, 'bad'),
    { text: String(one.seq) },
    { text: one.source },
    { text: [one.name, one.object ?? one.why].join(' ').trim() },
  ];
}

function stricterSection(against: Against, most: number): Section {
  const { rules, calls, stopped, asked, passing, unknown, name, policy, isCut } = against;
  const parts = [
    `of the calls that ran, ${policy.policy_id} ${policy.policy_version} would have refused ${stopped}${asked > 0 ? ` and asked about ${asked}` : ''}`,
    ...(passing > 0 ? [`of the refused ones it would have let ${passing} pass`] : []),
    ...(unknown > 0 ? [`of ${counted(unknown, 'call')} it cannot be told`] : []),
    ...(isCut ? [`the first ${calls} calls were decided again`] : []),
  ];
  return {
    title: `Under ${name}`,
    lead: parts.join('; '),
    columns: [
      { title: 'CALLS', ...COUNT },
      { title: 'WOULD' },
      { title: 'RULE', max: 40, min: 8 },
      { title: 'FOR EXAMPLE', ...CODE },
    ],
    rows: rules
      .slice(0, most)
      .map((rule) => [
        count(rule.calls),
        { text: rule.isAsk ? 'ask' : 'refuse', tone: rule.isAsk ? 'warn' : 'bad' },
        { text: rule.ruleId },
        { text: exampleOf(rule) },
      ]),
    more: Math.max(0, rules.length - most),
  };
}

function exampleOf({ examples: [first] }: Against['rules'][number]): string {
  return first === undefined ? '' : [first.name, first.object ?? ''].join(' ').trim();
}

function count(value: number, tone: Text['tone'] = 'plain'): Text {
  return value === 0 ? { text: '', tone: 'plain' } : { text: String(value), tone };
}

const CLOSED: ReadonlyMap<string, string> = new Map([
  ['expired', 'none in time'],
  ['run_ended', 'none: the run ended'],
  ['rule_changed', 'none: the rule changed'],
]);

function answerOf({ end }: ReportedQuestion): Text {
  if (end === undefined) return { text: 'open', tone: 'warn' };
  if (end.answer === 'closed') return { text: CLOSED.get(end.how) ?? end.how, tone: 'dim' };
  if (end.answer === 'no') return { text: 'no', tone: 'bad' };
  return { text: end.how === 'run' ? 'yes, for the run' : 'yes, once', tone: 'good' };
}
