import { canonicalize, isIngestKey, SublError, type JsonObject } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import type { Command } from 'commander';
import { EXIT } from '../exit/codes.js';
import { findTicket } from '@subluminal/ipc';
import { escapeText } from '../output/escape.js';
import { numberAt, objectAt, textAt } from '../output/fields.js';
import { pairs, type Cell } from '../output/table.js';
import { ingestedEvents, ingestedJson, ingestedRun } from '../ingest/ingested.js';
import { byteCount, span } from '../output/time.js';
import type { Call } from '../program/call.js';
import { takesId, type Does } from '../program/verb.js';
import { hintLines } from './hints/show.js';
import { findRow } from '../record/find.js';
import { carriedText, connectionOf } from '../record/connection.js';
import { hintJson, hintOfCall } from '../record/hints.js';
import { flaggedJson, flagsOf } from '../record/flags.js';
import { openRecord } from '../record/open.js';
import { nameOf, reasonOf, verdictOf } from '../record/lines.js';
import { factsOf, recordAround, type CallRecord } from '../record/record.js';

const PREVIEW_LINES = 40;

/** `sub show CALL|SEQ`: everything that is recorded of one call, or one entry. */
export function define(command: Command, does: Does): void {
  const what = 'a call id, a request id, an audit reference, or the number of an entry';
  takesId(command, '<call|seq>', what).action(
    does(async (call) => {
      const reader = openRecord(call.home);
      try {
        if (isIngestKey(call.id(0, 'call'))) return showIngestedRun(call, reader, call.id(0, 'call'));
        const row = find(reader, call.id(0, 'call'));
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
        } else print(call, reader, record, rows);
      } finally {
        reader.close();
      }
      return EXIT.done;
    }),
  );
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

function find(reader: LedgerReader, text: string): LedgerRow {
  const found = findRow(reader, text);
  if (found !== undefined) return found;
  throw new SublError('not_found', `there is no call or entry \`${text}\``, {
    help: '`sub query` lists calls with their numbers',
  });
}

function entryJson(reader: LedgerReader, row: LedgerRow): JsonObject {
  const blobs = Object.keys(row.blobs).map((slot) => {
    const text = reader.blob(row.seq, slot);
    return { slot, text, state: stateOf(reader, row, slot, text) };
  });
  return {
    seq: row.seq,
    leaf: row.leaf,
    ts: new Date(row.ts).toISOString(),
    type: row.type,
    code: row.code,
    run_id: row.runId,
    tool: typeof row.tool === 'string' || row.tool === null ? row.tool : [...row.tool],
    ref: row.ref,
    run_index: row.runIndex,
    request_id: row.requestId,
    data: row.data,
    blobs,
  };
}

function print(
  call: Call,
  reader: LedgerReader,
  record: CallRecord | undefined,
  rows: readonly LedgerRow[],
): void {
  const { output } = call;
  if (record !== undefined)
    output.lines(
      pairs([...summary(record), ...unusual(reader, record), ...refusal(call, reader, record)], output.paint),
    );
  for (const [at, row] of rows.entries()) {
    if (at > 0 || record !== undefined) output.line();
    output.line(
      `${output.paint('bold', `entry ${row.seq}`)}  ${row.type}  ${new Date(row.ts).toISOString()}  ${output.paint('dim', row.leaf)}`,
    );
    printData(call, row);
    for (const slot of Object.keys(row.blobs)) printBlob(call, reader, row, slot);
  }
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

/** What was unusual about it: a line each. */
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
  const { server, via, address, sni, hasEch, isListed } = connection;
  return [
    ['server', { text: server }],
    ['asked by', { text: via }],
    ['address', { text: address }],
    ['name in TLS', { text: hasEch ? `${sni} (with ECH: it may be that of a decoy)`.trim() : sni }],
    ['allowlist', { text: isListed ? 'listed' : 'not listed' }],
    ['carried', { text: carriedText({ ...connection, isListed: true }) }],
  ];
}

/** Of a refused call: the rule, what the agent was told, and where to go on. Inside a run no verb that widens is named. */
function refusal(
  { home }: Call,
  reader: LedgerReader,
  record: CallRecord,
): readonly (readonly [string, Cell])[] {
  const code = record.decision?.code ?? 'ALLOW';
  if (code === 'ALLOW') return [];
  const hint = hintOfCall(reader, record);
  const { ruleId, ofRun } = factsOf(record);
  const callId = textAt(record.first.data, 'call', 'call_id');
  const wait = numberAt(record.decision?.data ?? null, 'decision', 'backoff_ms');
  const mayPromote = ruleId !== '' && !ofRun && findTicket(home) === undefined;
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

function printData(call: Call, row: LedgerRow): void {
  for (const [key, value] of Object.entries(row.data)) {
    call.output.line(`  ${call.output.paint('dim', escapeText(key))}  ${escapeText(canonicalize(value))}`);
  }
}

type PreviewState = 'present' | 'dropped:backpressure' | 'dropped:budget' | 'expired' | 'missing';

const NOT_KEPT: Readonly<Record<PreviewState, string>> = {
  present: '',
  'dropped:backpressure': 'not kept: too much was waiting to be recorded',
  'dropped:budget': 'not kept: the ledger had come to the end of its budget',
  expired: 'expired',
  missing: 'missing: run `sub audit verify`',
};

/** Why a preview is there or not; only its entry, or a later one, may say that it is not. */
function stateOf(reader: LedgerReader, row: LedgerRow, slot: string, text: string | null): PreviewState {
  if (text !== null) return 'present';
  const { state = 'missing' } = row.blobs[slot] ?? {};
  if (state !== 'present') return state;
  return row.seq <= reader.expiredUpTo() ? 'expired' : 'missing';
}

/** A preview keeps its lines; within a line nothing acts on the terminal. */
function printBlob(call: Call, reader: LedgerReader, row: LedgerRow, slot: string): void {
  const { output } = call;
  const text = reader.blob(row.seq, slot);
  output.line(`  ${output.paint('dim', slot)}`);
  if (text === null) {
    output.line(`    (${NOT_KEPT[stateOf(reader, row, slot, text)]})`);
    return;
  }
  const lines = text.split('\n');
  for (const line of lines.slice(0, PREVIEW_LINES)) output.line(`    ${escapeText(line)}`);
  if (lines.length > PREVIEW_LINES)
    output.line(`    … ${lines.length - PREVIEW_LINES} more lines (\`--json\`)`);
}
