import { numberAt, textAt, type JsonObject } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import {
  ingestedJson,
  ingestedRuns,
  runJson,
  runRecords,
  wordFor,
  type RunRecord,
} from '@subluminal/records';
import type { Command } from 'commander';
import { EXIT } from '../program/exit/codes.js';
import { noteMore, showList } from '../output/listing.js';
import type { Cell, Column } from '../output/table.js';
import { ago, agoAt, span } from '../output/time.js';
import { toneOf } from '../output/style.js';
import type { Call } from '../program/call.js';
import { flag, whole } from '../program/flags.js';
import { PAGED } from '../program/pager/paged.js';
import type { Does } from '../program/verb.js';
import { objectCell } from '../record/subject-in.js';
import { shortRun } from '../record/lines.js';
import { withRecord } from '../record/open.js';

const COLUMNS = [
  { title: 'RUN' },
  { title: 'AGENT', max: 30, min: 6 },
  { title: 'CLIENT', spare: 1 },
  { title: 'PROJECT', max: 24, min: 8, cut: 'middle' },
  { title: 'ENV', spare: 5 },
  { title: 'STATUS' },
  { title: 'STARTED' },
  { title: 'TOOK', align: 'right', spare: 4 },
  { title: 'CALLS', align: 'right' },
  { title: 'REFUSED', align: 'right' },
  { title: 'ASKED', align: 'right' },
  { title: 'SLOWED', align: 'right', spare: 3 },
  { title: 'FAILED', align: 'right', spare: 2 },
  { title: 'NET', align: 'right', spare: 2 },
  { title: 'LAST', max: 80, min: 12 },
] as const;

/** Left out if no run has any. */
const SELDOM: ReadonlySet<string> = new Set(['REFUSED', 'ASKED', 'SLOWED', 'FAILED', 'NET']);

const INGESTED_COLUMNS = [
  { title: 'NAME HERE' },
  { title: 'RUN THERE', max: 30, min: 9, spare: 1 },
  { title: 'SOURCE', max: 30, min: 8 },
  { title: 'VERIFIED' },
  { title: 'AGENT', max: 30, min: 6 },
  { title: 'EVENTS', align: 'right' },
  { title: 'INGESTED' },
] as const;

/** On a narrower terminal runs go by the end of their ids. */
const MIN_WHOLE = 140;

const FLAGS = {
  ...PAGED,
  limit: whole('<n>', 'how many at most (1 to 1000, default 20)', 1, 1000),
  cursor: whole('<seq>', 'go on below this entry (the last page names it)', 1),
  ingested: flag('the runs of other places instead, which `sub ingest` took in'),
};

/** `sub runs`: the runs that the ledger holds, newest first. Works without a gateway. */
export function define(command: Command, does: Does): void {
  does(command, FLAGS, async (call) => {
    const limit = call.flags.limit ?? 20;
    const cursor = call.flags.cursor ?? null;
    await withRecord(call.home, (reader) => {
      if (call.flags.ingested) showIngested(call, reader, limit);
      else showRuns(call, reader, limit, cursor);
    });
    return EXIT.done;
  });
}

function showRuns(
  { output, session }: Call,
  reader: LedgerReader,
  limit: number,
  cursor: number | null,
): void {
  const { rows, next } = reader.runs({ limit, cursor });
  const runs = runRecords(reader, rows);
  const rowsOf = runs.map((run) => rowOf(run, session.now(), output.width));
  // Most homes have no questions or connections to show.
  const empty = new Set(
    COLUMNS.flatMap(({ title }, at) =>
      SELDOM.has(title) && rowsOf.every((row) => ['', '0'].includes(row[at]?.text ?? '')) ? [at] : [],
    ),
  );
  const shown = <One>(all: readonly One[]): readonly One[] => all.filter((_, at) => !empty.has(at));
  showList(output, runs, {
    json: runJson,
    none: 'there are no runs yet',
    columns: shown<Column>(COLUMNS),
    row: (run) => shown(rowOf(run, session.now(), output.width)),
  });
  noteMore(output, next);
}

/** The runs of other places, under the names that they have here. */
function showIngested({ output, session }: Call, reader: LedgerReader, limit: number): void {
  const runs: JsonObject[] = [];
  for (const run of ingestedRuns(reader)) {
    if (runs.length === limit) break;
    runs.push(ingestedJson(run));
  }
  showList(output, runs, {
    json: (run) => run,
    none: 'no run of another place was ingested',
    columns: INGESTED_COLUMNS,
    row: (run) => [
      { text: textAt(run, 'key') },
      { text: textAt(run, 'run_id') },
      { text: sourceText(run) },
      { text: textAt(run, 'verified'), tone: textAt(run, 'verified') === 'pinned' ? 'good' : 'warn' },
      { text: textAt(run, 'agent_id') },
      { text: textAt(run, 'events') },
      { text: agoAt(run, 'ingested_at', session.now()) },
    ],
  });
}

function sourceText(run: JsonObject): string {
  return textAt(run, 'source', 'name') || `ledger ${textAt(run, 'source', 'ledger_id')}`;
}

function rowOf(run: RunRecord, now: number, width: number): readonly Cell[] {
  const { runId, start, end, status, refusals, counts, connections, lastObject } = run;
  const { asked } = refusals;
  const word = wordFor(status);
  const { data, ts } = start;
  const count = (name: string, less = 0): Cell => ({ text: String((numberAt(counts, name) ?? 0) - less) });
  return [
    // The part that every verb takes, where the whole would leave no room.
    { text: width < MIN_WHOLE ? shortRun(runId) : runId },
    { text: textAt(data, 'agent_id') },
    { text: textAt(data, 'client') },
    { text: folderName(textAt(runJson(run), 'project')) },
    { text: textAt(data, 'env') },
    { text: word, tone: toneOf(word) },
    { text: ago(ts, now) },
    { text: span((end?.ts ?? now) - ts) },
    count('calls_total'),
    count('calls_blocked', asked),
    { text: String(asked), tone: asked > 0 ? 'warn' : 'plain' },
    count('calls_throttled'),
    count('errors_total'),
    {
      text: netText(connections),
      tone: connections !== undefined && connections.refused + connections.names > 0 ? 'warn' : 'plain',
    },
    objectCell(lastObject ?? null),
  ];
}

/** The connections of a run, and how many of them were refused, which no other column counts. */
function netText(connections: RunRecord['connections']): string {
  if (connections === undefined) return '';
  const { total, refused, names } = connections;
  const parts = [
    refused === 0 ? '' : `${refused} refused`,
    names === 0 ? '' : `${names} ${names === 1 ? 'name' : 'names'} refused`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? String(total) : `${total} (${parts.join(', ')})`;
}

/** The last part of a folder's path: `--json` has all of it. */
function folderName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1) || path;
}
