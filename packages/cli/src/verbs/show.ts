import {
  canonicalize,
  isIngestKey,
  numberAt,
  objectAt,
  SublError,
  textAt,
  type JsonObject,
} from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import {
  connectionCounts,
  connectionOf,
  factsOf,
  findRow,
  flaggedJson,
  flagsOf,
  hintJson,
  hintOfCall,
  liveCounts,
  recordAround,
  runJson,
  runNamed,
  type CallRecord,
} from '@subluminal/records';
import type { Command } from 'commander';
import { carriedText } from '../record/carried-text.js';
import { EXIT } from '../program/exit/codes.js';
import { isOutsideRun } from '../gateway/outside-run.js';
import { escapeText } from '../output/escape.js';
import { pairs, type Cell } from '../output/table.js';
import { ingestedEvents, ingestedJson, ingestedRun } from '../ingest/ingested.js';
import { byteCount, span } from '../output/time.js';
import type { Call } from '../program/call.js';
import { flag, type Values } from '../program/flags.js';
import { takesId, type Does } from '../program/verb.js';
import { hintLines } from './hints/show.js';
import { openRecord } from '../record/open.js';
import { nameOf, reasonOf, verdictOf } from '../record/lines.js';
import { entryJson, previewLines, rawLines } from '../record/raw-entry.js';

const FLAGS = {
  raw: flag('with the entries as they are recorded'),
};

type Given = Call<Values<typeof FLAGS>>;

/** `sub show CALL|SEQ|RUN`: everything that is recorded of one call or one entry, and the sums of a run. */
export function define(command: Command, does: Does): void {
  const what =
    'the number of an entry, an audit reference, or the id of a call, a request or a run (a part will do)';
  does(takesId(command, '<call|seq|run>', what), FLAGS, show);
}

async function show(call: Given): Promise<number> {
  const named = call.id(0, 'call');
  const reader = openRecord(call.home);
  try {
    if (isIngestKey(named)) return showIngestedRun(call, reader, named);
    const row = findRow(reader, named);
    if (row === undefined) return showRun(call, reader, named);
    const record = recordAround(reader, row);
    const rows =
      record === undefined
        ? [row]
        : [record.first, record.decision, record.last].filter((entry) => entry !== null);
    if (call.output.json) {
      call.output.value({
        ...(record === undefined
          ? {}
          : {
              record: flaggedJson(reader, record),
              hint: hintOf(reader, record),
            }),
        entries: rows.map((entry) => entryJson(reader, entry)),
      });
    } else print(call, reader, record, rows, await isOutsideRun(call));
  } finally {
    reader.close();
  }
  return EXIT.done;
}

/** A run, where no call and no entry has that name. */
function showRun({ output }: Call, reader: LedgerReader, named: string): number {
  const runId = runNamed(reader, named);
  const [start] = runId === undefined ? [] : reader.byRun(runId, { limit: 1, order: 'asc' }).rows;
  if (runId === undefined || start?.type !== 'run_start') {
    throw new SublError('not_found', `there is no call, entry or run \`${named}\``, {
      help: '`sub query` lists calls with their numbers, `sub runs` the runs',
    });
  }
  const [last] = reader.byRun(runId, { limit: 1 }).rows;
  const run = { runId, start, end: last?.type === 'run_end' ? last : null };
  const connections = connectionCounts(reader, new Set([runId]), start.ts).get(runId);
  const facts = runJson(run, liveCounts(reader, [run]), connections);
  if (output.json) {
    output.value({ run: facts });
    return EXIT.done;
  }
  const told = Object.keys(facts).map(
    (name) => [name.replaceAll('_', ' '), { text: textAt(facts, name) }] as const,
  );
  output.lines(
    pairs(
      told.filter(([, cell]) => cell.text !== ''),
      output.paint,
      output.width,
    ),
  );
  output.note(`\`sub query --run ${escapeText(runId)}\` lists its calls`);
  return EXIT.done;
}

/** A run of another place: who says so, and all that it says, as events of Contract A. */
function showIngestedRun({ output }: Call, reader: LedgerReader, key: string): number {
  const run = ingestedRun(reader, key);
  if (run === undefined)
    throw new SublError('not_found', `no run with the name \`${key}\` was ingested`, {
      help: '`sub runs --ingested` lists them',
    });
  const facts = ingestedJson(run);
  if (output.json) {
    output.value({ run: facts });
    for (const event of ingestedEvents(reader, key)) output.value(event);
    return EXIT.done;
  }
  const said = ['source', 'verified', 'by', 'run_id', 'agent_id', 'events', 'ended', 'ingested_at'];
  output.lines(
    pairs(
      said.map((name) => [
        name,
        { text: name === 'source' ? canonicalize(facts[name] ?? null) : textAt(facts, name) },
      ]),
      output.paint,
    ),
  );
  output.line('');
  for (const event of ingestedEvents(reader, key)) {
    const call = [textAt(event, 'call', 'server_name'), textAt(event, 'call', 'tool_name')].filter(
      (part) => part !== '',
    );
    const how =
      textAt(event, 'decision', 'action') || textAt(event, 'status') || textAt(event, 'run', 'status');
    const parts = [textAt(event, 'ts'), textAt(event, 'type'), call.join('.'), how];
    output.line(escapeText(parts.filter((part) => part !== '').join('  ')));
  }
  return EXIT.done;
}

function print(
  call: Given,
  reader: LedgerReader,
  record: CallRecord | undefined,
  rows: readonly LedgerRow[],
  isOutside: boolean,
): void {
  const { output } = call;
  const isRaw = call.flags.raw;
  if (record !== undefined) {
    const told = [...summary(record), ...unusual(reader, record), ...refusal(reader, record, isOutside)];
    output.lines(pairs([...told, ...where(rows)], output.paint, output.width));
  }
  for (const row of rows) {
    const previews = previewLines(reader, row, output);
    const entry = isRaw || record === undefined ? rawLines(row, output) : [];
    if (previews.length + entry.length > 0)
      output.lines(['', ...entry, ...previews].slice(record === undefined ? 1 : 0));
  }
  if (record !== undefined && !isRaw) output.note('`--raw` shows the entries as they are recorded');
}

/** The entries of a record, and what somebody keeps who wants to prove it. */
function where(rows: readonly LedgerRow[]): readonly (readonly [string, Cell])[] {
  const bearing = rows.find(({ type }) => type === 'tool_call_decision') ?? rows[0];
  return [
    ['entries', { text: rows.map(({ seq, type }) => `${seq} ${type}`).join(', ') }],
    ['audit ref', { text: bearing === undefined ? '' : `${bearing.seq}.${bearing.leaf}` }],
  ];
}

function summary(record: CallRecord): readonly (readonly [string, Cell])[] {
  const facts = factsOf(record);
  const { runId, data } = record.first;
  const lines: (readonly [string, Cell])[] = [
    ['what', { text: nameOf(record), tone: 'bold' }],
    ['outcome', verdictOf(record)],
    ['why', { text: reasonOf(record) }],
    ['run', { text: runId ?? '' }],
    ['call', { text: textAt(data, 'call', 'call_id') || (record.first.requestId ?? '') }],
    ['continues', { text: textAt(data, 'call', 'continues') }],
    ['arguments', { text: textAt(data, 'call', 'args_hash') || textAt(data, 'payload_hash') }],
    ...connectionLines(record),
    ['took', { text: facts.latencyMs === undefined ? '' : span(facts.latencyMs) }],
    ['bytes', { text: sizes(facts.bytesIn, facts.bytesOut) }],
  ];
  return lines.filter(([, cell]) => cell.text !== '');
}

/** Its flags, a line each. */
function unusual(reader: LedgerReader, record: CallRecord): readonly (readonly [string, Cell])[] {
  return flagsOf(reader, record).map(({ data }) => [
    'unusual',
    { text: `${textAt(data, 'kind')}: ${textAt(data, 'summary')}`, tone: 'warn' },
  ]);
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
  reader: LedgerReader,
  record: CallRecord,
  isOutside: boolean,
): readonly (readonly [string, Cell])[] {
  const code = record.decision?.code ?? 'ALLOW';
  if (code === 'ALLOW') return [];
  const hint = hintOfCall(reader, record);
  const { ruleId, ofRun } = factsOf(record);
  const callId = textAt(record.first.data, 'call', 'call_id');
  const wait = numberAt(record.decision?.data ?? null, 'decision', 'backoff_ms');
  const mayPromote = ruleId !== '' && !ofRun && isOutside;
  const lines: readonly (readonly [string, Cell])[] = [
    [
      'rule',
      { text: ofRun ? `${ruleId || 'none'} (of the policy that the run was given)` : ruleId || 'none' },
    ],
    ...(hint === undefined ? [] : hintLines(objectAt(hint.row.data, 'hint'))),
    ['wait', { text: wait === undefined ? '' : span(wait) }],
    ['explain', { text: `\`sub policy explain ${callId}\` says what each rule made of it` }],
    [
      'let through',
      {
        text: mayPromote ? promoteText(callId, hint !== undefined && isLive(reader, record)) : '',
      },
    ],
  ];
  return lines.filter(([, cell]) => cell.text !== '');
}

function hintOf(reader: LedgerReader, record: CallRecord): JsonObject | null {
  const hint = record.decision?.code === 'ALLOW' ? undefined : hintOfCall(reader, record);
  return hint === undefined ? null : hintJson(hint);
}

/** A hint is promoted for as long as its run lives. */
function isLive(reader: LedgerReader, { first }: CallRecord): boolean {
  const [last] = first.runId === null ? [] : reader.byRun(first.runId, { limit: 1 }).rows;
  return last !== undefined && last.type !== 'run_end';
}

function promoteText(callId: string, forRun: boolean): string {
  const persist = `\`sub hints promote ${callId} --persist\` by a rule in the policy file`;
  return forRun ? `\`sub hints promote ${callId}\` for the rest of this run, ${persist}` : persist;
}

function sizes(bytesIn: number | undefined, bytesOut: number | undefined): string {
  const parts = [
    bytesIn === undefined ? '' : `${byteCount(bytesIn)} in`,
    bytesOut === undefined ? '' : `${byteCount(bytesOut)} out`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}
