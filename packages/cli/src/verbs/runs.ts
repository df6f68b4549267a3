import type { RunRows } from '@subluminal/ledger';
import type { Command } from 'commander';
import { EXIT } from '../exit/codes.js';
import { numberAt, textAt } from '../output/fields.js';
import type { Tone } from '../output/style.js';
import { table, type Cell } from '../output/table.js';
import { ago, span } from '../output/time.js';
import type { Does } from '../program/verb.js';
import { openRecord } from '../record/open.js';
import { runJson, runStatus, runSummary } from '../record/runs.js';

const COLUMNS = [
  { title: 'RUN' },
  { title: 'AGENT', max: 30 },
  { title: 'CLIENT' },
  { title: 'ENV' },
  { title: 'STATUS' },
  { title: 'STARTED' },
  { title: 'TOOK', align: 'right' },
  { title: 'CALLS', align: 'right' },
  { title: 'BLOCKED', align: 'right' },
  { title: 'ERRORS', align: 'right' },
] as const;

const TONES: ReadonlyMap<string, Tone> = new Map([
  ['RUNNING', 'warn'],
  ['SUCCEEDED', 'good'],
  ['FAILED', 'bad'],
  ['TERMINATED', 'bad'],
]);

/** `sub runs`: the runs that the ledger holds, newest first. Works without a gateway. */
export function define(command: Command, does: Does): void {
  command
    .option('--limit <n>', 'how many at most (1 to 1000, default 20)')
    .option('--cursor <seq>', 'go on below this entry (the last page names it)')
    .action(
      does(async (call) => {
        const limit = call.whole('limit', 1, 1000) ?? 20;
        const cursor = call.whole('cursor', 1, Number.MAX_SAFE_INTEGER) ?? null;
        const reader = openRecord(call.home);
        try {
          const { rows: runs, next } = reader.runs({ limit, cursor });
          if (call.output.json) for (const run of runs) call.output.value(runJson(run));
          else if (runs.length === 0) call.output.line('there are no runs yet');
          else {
            const rows = runs.map((run) => rowOf(run, call.session.now()));
            call.output.lines(table(COLUMNS, rows, call.output));
            if (next !== null) call.output.note(`more: add \`--cursor ${next}\``);
          }
        } finally {
          reader.close();
        }
        return EXIT.done;
      }),
    );
}

function rowOf(run: RunRows, now: number): readonly Cell[] {
  const { data, ts } = run.start;
  const status = runStatus(run);
  const summary = runSummary(run);
  const count = (name: string): Cell => ({
    text: run.end === null ? '' : String(numberAt(summary, name) ?? 0),
  });
  return [
    { text: run.runId },
    { text: textAt(data, 'agent_id') },
    { text: textAt(data, 'client') },
    { text: textAt(data, 'env') },
    { text: status, tone: TONES.get(status) ?? 'plain' },
    { text: ago(ts, now) },
    { text: span((run.end?.ts ?? now) - ts) },
    count('calls_total'),
    count('calls_blocked'),
    count('errors_total'),
  ];
}
