import { endJson } from '../record/asked.js';
import { numberAt, objectAt, textAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import {
  askedText,
  connectionOf,
  endedText,
  factsOf,
  questionEndOf,
  questionOf,
  seenBy,
  shown,
  shownJson,
  type CallRecord,
  type QuestionEnd,
  type ShownRecord,
} from '@subluminal/records';
import type { Command } from 'commander';
import { carriedText } from '../record/carried-text.js';
import { EXIT } from '../program/exit/codes.js';
import { isOutsideRun } from '../gateway/outside-run.js';
import { pairs, type Cell } from '../output/table.js';
import { byteCount, span, wholeTime } from '../output/time.js';
import type { Call } from '../program/call.js';
import { flag, type Values } from '../program/flags.js';
import { PAGED } from '../program/pager/paged.js';
import { takesId, type Does } from '../program/verb.js';
import { hintLines } from './hints/show.js';
import { filePaths, filesText } from '../record/files-text.js';
import { layerLines } from '../record/layer-text.js';
import { entryLines } from '../record/entry-lines.js';
import { withRecord } from '../record/open.js';
import { showIngestedRun, showRun } from '../record/show-run.js';
import { nameOf, reasonOf, verdictOf } from '../record/lines.js';
import { previewLines, rawLines } from '../record/raw-entry.js';

const FLAGS = {
  ...PAGED,
  raw: flag('with the entries as they are recorded'),
};

const REF = 'audit ref';
const RAW = '`--raw` shows the entries as they are recorded';

type Given = Call<Values<typeof FLAGS>>;

/** `sub show CALL|SEQ|RUN`: everything that is recorded of one call or one entry, and the sums of a run. */
export function define(command: Command, does: Does): void {
  const what =
    'the number of an entry, an audit reference, or the id of a call, a request or a run (a part will do)';
  does(takesId(command, '<call|seq|run>', what), FLAGS, show);
}

async function show(call: Given): Promise<number> {
  await withRecord(call.home, async (reader) => {
    const found = shown(reader, call.id(0, 'call'));
    if (found.kind === 'ingested') showIngestedRun(call, reader, found.run);
    else if (found.kind === 'run') showRun(call, found.run);
    else if (call.output.json) {
      const answer = found.kind === 'record' ? { answer: endJson(questionEndOf(reader, found.record)) } : {};
      call.output.value({ ...shownJson(reader, found), ...answer });
    } else if (found.kind === 'entry') printEntry(call, reader, found.rows);
    else await printRecord(call, reader, found);
  });
  return EXIT.done;
}

async function printRecord(call: Given, reader: LedgerReader, found: ShownRecord): Promise<void> {
  const { output } = call;
  const unusual = found.flags.map(({ data }): readonly [string, Cell] => [
    'unusual',
    { text: `${textAt(data, 'kind')}: ${textAt(data, 'summary')}`, tone: 'warn' },
  ]);
  const end = questionEndOf(reader, found.record);
  const told = [...summary(found.record), ...unusual, ...refusal(found, end, await isOutsideRun(call))];
  const ref = `${found.bearing.seq}.${found.bearing.leaf}`;
  const rows = [...told, ...where(found)];
  // Somebody copies it: it is in one piece, on a line of its own where it has no room beside its name.
  const named = Math.max(REF.length, ...rows.map(([name]) => name.length)) + 2;
  const fits = named + ref.length <= output.width;
  output.lines(pairs([...rows, [REF, { text: fits ? ref : '' }]], output.paint, output.width));
  if (!fits) output.line(`  ${ref}`);
  printEntries(call, reader, found.rows);
  if (!call.flags.raw) output.note(RAW);
}

/** Entries of no call. */
function printEntry(call: Given, reader: LedgerReader, rows: readonly LedgerRow[]): void {
  for (const row of rows) call.output.lines(entryLines(row, call.output));
  if (call.flags.raw) printEntries(call, reader, rows);
  else call.output.note(RAW);
}

/** The previews of entries, and the entries as they are recorded if that is asked for. */
function printEntries({ output, flags }: Given, reader: LedgerReader, rows: readonly LedgerRow[]): void {
  for (const row of rows) {
    const previews = previewLines(reader, row, output);
    const entry = flags.raw ? rawLines(row, output) : [];
    if (previews.length + entry.length > 0) output.lines(['', ...entry, ...previews]);
  }
}

/** The entries of a record. */
function where({ rows, hooks }: ShownRecord): readonly (readonly [string, Cell])[] {
  return [
    ['entries', { text: rows.map(({ seq, type }) => `${seq} ${type}`).join(', ') }],
    ...(hooks.length === 0
      ? []
      : [
          [
            'hooks',
            { text: hooks.map(({ seq, data }) => `${seq} ${textAt(data, 'hook', 'event')}`).join(', ') },
          ] as const,
        ]),
  ];
}

const WHOSE = {
  home: '',
  project: ' (of the policy of the project)',
  run: ' (of the policy that the run was given)',
} as const;

function summary(record: CallRecord): readonly (readonly [string, Cell])[] {
  const facts = factsOf(record);
  const { runId, data } = record.first;
  const lines: (readonly [string, Cell])[] = [
    ['what', { text: nameOf(record), tone: 'bold' }],
    ['object', { text: record.object ?? '' }],
    ['outcome', verdictOf(record)],
    ['when', { text: wholeTime(record.first.ts) }],
    ['why', { text: reasonOf(record) }],
    ['seen by', { text: seenBy(record) ?? '' }],
    ['folder', { text: textAt(data, 'call', 'cwd') }],
    ['run', { text: runId ?? '' }],
    ['call', { text: textAt(data, 'call', 'call_id') || (record.first.requestId ?? '') }],
    ['continues', { text: textAt(data, 'call', 'continues') }],
    ['arguments', { text: textAt(data, 'call', 'args_hash') || textAt(data, 'payload_hash') }],
    ...connectionLines(record),
    ...layerLines(record),
    ['took', { text: !facts.latencyMs ? '' : span(facts.latencyMs) }],
    ['bytes', { text: sizes(facts.bytesIn, facts.bytesOut) }],
    ['files', { text: filesText(record) }],
    ...filePaths(record).map((path): readonly [string, Cell] => ['', { text: path }]),
  ];
  return lines.filter(([, cell]) => cell.text !== '');
}

/** Of a connection: whose it was, how it was asked for, what was dialled. */
function connectionLines(record: CallRecord): readonly (readonly [string, Cell])[] {
  const connection = connectionOf(record);
  if (connection === undefined) return [];
  const { server, via, address, sni, hasEch, isListed, isByAddress, verdict } = connection;
  return [
    ['server', { text: server }],
    ['asked by', { text: isByAddress ? `${via}, by address` : via }],
    ['address', { text: verdict === '' ? address : `${address} (${verdict})`.trim() }],
    ['name in TLS', { text: hasEch ? `${sni} (with ECH: it may be that of a decoy)`.trim() : sni }],
    ['allowlist', { text: isListed ? 'listed' : 'not listed' }],
    ['carried', { text: carriedText({ ...connection, isListed: true }) }],
  ];
}

/**
 * Of a refused call: the rule, what the agent was told, and where to go on. Inside a run no verb that widens
 * is named.
 */
function refusal(
  { record, hint, isLive }: ShownRecord,
  end: QuestionEnd | undefined,
  isOutside: boolean,
): readonly (readonly [string, Cell])[] {
  const code = record.decision?.code ?? 'ALLOW';
  if (code === 'ALLOW') return [];
  const { of, ruleId } = factsOf(record);
  const callId = textAt(record.first.data, 'call', 'call_id');
  const wait = numberAt(record.decision?.data ?? null, 'decision', 'backoff_ms');
  const mayPromote = ruleId !== '' && of === 'home' && isOutside;
  const lines: readonly (readonly [string, Cell])[] = [
    ['rule', { text: `${ruleId || 'none'}${WHOSE[of]}` }],
    ['answer', { text: end === undefined ? '' : endedText(end) }],
    ...(hint === undefined ? [] : hintLines(objectAt(hint.row.data, 'hint'))),
    ['wait', { text: wait === undefined ? '' : span(wait) }],
    ['explain', { text: `\`sub policy explain ${callId}\` says what each rule made of it` }],
    [
      'let through',
      {
        text: mayPromote ? wayThrough(record, hint !== undefined && isLive, end) : '',
      },
    ],
  ];
  return lines.filter(([, cell]) => cell.text !== '');
}

function wayThrough(record: CallRecord, forRun: boolean, end: QuestionEnd | undefined): string {
  const questionId = questionOf(record);
  if (questionId !== undefined && end === undefined) return askedText(record.first.seq);
  const { seq } = record.first;
  const persist = `\`sub hints promote ${seq} --persist\` by a rule in the policy file`;
  return forRun && questionId === undefined
    ? `\`sub hints promote ${seq}\` for the rest of this run, ${persist}`
    : persist;
}

function sizes(bytesIn: number | undefined, bytesOut: number | undefined): string {
  const parts = [
    bytesIn === undefined ? '' : `${byteCount(bytesIn)} in`,
    bytesOut === undefined ? '' : `${byteCount(bytesOut)} out`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}
