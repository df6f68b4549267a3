import { momentAt, numberAt, textAt, type JsonObject } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import { ingestedJson, ingestedRuns, runJson, runRecords, type RunRecord } from '@subluminal/records';
import type { Command } from 'commander';
import { EXIT } from '../program/exit/codes.js';
import type { Tone } from '../output/style.js';
import { table, type Cell } from '../output/table.js';
import { ago, span } from '../output/time.js';
import type { Call } from '../program/call.js';
import { flag, whole } from '../program/flags.js';
import type { Does } from '../program/verb.js';
import { openRecord } from '../record/open.js';

const COLUMNS = [
  { title: 'RUN' },
  { title: 'AGENT', max: 30, min: 8 },
  { title: 'CLIENT' },
  { title: 'ENV' },
  { title: 'STATUS' },
  { title: 'STARTED' },
  { title: 'TOOK', align: 'right' },
  { title: 'CALLS', align: 'right' },
  { title: 'BLOCKED', align: 'right' },
  { title: 'ERRORS', align: 'right' },
  { title: 'NET', align: 'right' },
] as const;

const INGESTED_COLUMNS = [
  { title: 'NAME HERE' },
  { title: 'RUN THERE', max: 30 },
  { title: 'SOURCE', max: 30 },
  { title: 'VERIFIED' },
  { title: 'AGENT', max: 30 },
  { title: 'EVENTS', align: 'right' },
  { title: 'INGESTED' },
] as const;

const TONES: ReadonlyMap<string, Tone> = new Map([
  ['RUNNING', 'warn'],
  ['SUCCEEDED', 'good'],
  ['FAILED', 'bad'],
  ['TERMINATED', 'bad'],
]);

const FLAGS = {
  limit: whole('<n>', 'how many at most (1 to 1000, default 20)', 1, 1000),
  cursor: whole('<seq>', 'go on below this entry (the last page names it)', 1),
  ingested: flag('the runs of other places instead, which `sub ingest` took in'),
};

/** `sub runs`: the runs that the ledger holds, newest first. Works without a gateway. */
export function define(command: Command, does: Does): void {
  does(command, FLAGS, async (call) => {
    const limit = call.flags.limit ?? 20;
    const cursor = call.flags.cursor ?? null;
    const reader = openRecord(call.home);
    try {
      if (call.flags.ingested) return showIngested(call, reader, limit);
      const { rows: found, next } = reader.runs({ limit, cursor });
      const runs = runRecords(reader, found);
      if (call.output.json) for (const run of runs) call.output.value(runJson(run));
      else if (runs.length === 0) call.output.line('there are no runs yet');
      else {
        const rows = runs.map((run) => rowOf(run, call.session.now()));
        // Most homes have no connections to show.
        const shown = runs.every(({ connections }) => connections === undefined)
          ? COLUMNS.slice(0, -1)
          : COLUMNS;
        call.output.lines(
          table(
            shown,
            rows.map((row) => row.slice(0, shown.length)),
            call.output,
          ),
        );
        if (next !== null) call.output.note(`more: add \`--cursor ${next}\``);
      }
    } finally {
      reader.close();
    }
    return EXIT.done;
  });
}

/** The runs of other places, under the names that they have here. */
function showIngested({ output, session }: Call, reader: LedgerReader, limit: number): number {
  const runs: JsonObject[] = [];
  for (const run of ingestedRuns(reader)) {
    if (runs.length === limit) break;
    runs.push(ingestedJson(run));
  }
  if (output.json) for (const run of runs) output.value(run);
  else if (runs.length === 0) output.line('no run of another place was ingested');
  else {
    const rows = runs.map((run): readonly Cell[] => [
      { text: textAt(run, 'key') },
      { text: textAt(run, 'run_id') },
      { text: sourceText(run) },
      { text: textAt(run, 'verified'), tone: textAt(run, 'verified') === 'pinned' ? 'good' : 'warn' },
      { text: textAt(run, 'agent_id') },
      { text: textAt(run, 'events') },
      { text: ago(momentAt(run, 'ingested_at') ?? 0, session.now()) },
    ]);
    output.lines(table(INGESTED_COLUMNS, rows, output));
  }
  return EXIT.done;
}

function sourceText(run: JsonObject): string {
  return textAt(run, 'source', 'name') || `ledger ${textAt(run, 'source', 'ledger_id')}`;
}

function rowOf({ runId, start, end, status, counts, connections }: RunRecord, now: number): readonly Cell[] {
  const { data, ts } = start;
  const count = (name: string): Cell => ({ text: String(numberAt(counts, name) ?? 0) });
  return [
    { text: runId },
    { text: textAt(data, 'agent_id') },
    { text: textAt(data, 'client') },
    { text: textAt(data, 'env') },
    { text: status, tone: TONES.get(status) ?? 'plain' },
    { text: ago(ts, now) },
    { text: span((end?.ts ?? now) - ts) },
    count('calls_total'),
    count('calls_blocked'),
    count('errors_total'),
    {
      text: connections === undefined ? '' : String(connections.total),
      tone: connections !== undefined && connections.refused > 0 ? 'warn' : 'plain',
    },
  ];
}
