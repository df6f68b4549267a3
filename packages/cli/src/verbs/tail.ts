import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import type { Command } from 'commander';
import { EXIT } from '../exit/codes.js';
import type { Call } from '../program/call.js';
import type { Does } from '../program/verb.js';
import { openRecord } from '../record/open.js';
import { eventOf, newestEvents } from '../record/events.js';
import { follow } from '../record/follow.js';
import { recordLine } from '../record/lines.js';
import { LiveLines } from '../record/live-lines.js';
import { search } from '../record/search.js';

/** `sub tail`: the newest calls, and the next as they come. With `--json`, events of Contract A. */
export function define(command: Command, does: Does): void {
  command
    .option('--run <id>', 'only this run; ends when it ends')
    .option('-n, --lines <n>', 'how many of the past to show first (0 to 1000, default 10)')
    .option('-f, --follow', 'go on with what comes (the default)')
    .option('--no-follow', 'stop after the past')
    .action(
      does(async (call) => {
        const reader = openRecord(call.home);
        try {
          const size = reader.size;
          const past = call.whole('lines', 0, 1000) ?? 10;
          printPast(call, reader, size, past);
          if (call.isSwitchedOff('follow')) return EXIT.done;
          await printNext(call, reader, size);
          return EXIT.done;
        } finally {
          reader.close();
        }
      }),
    );
}

/** What stood in the ledger up to `size`; what has come since is for `printNext` to tell. */
function printPast(call: Call, reader: LedgerReader, size: number, count: number): void {
  if (count === 0) return;
  const runId = call.text('run');
  if (call.output.json) {
    for (const event of newestEvents(reader, runId, size, count)) call.output.value(event);
    return;
  }
  const { records } = search(reader, runId === undefined ? {} : { runId }, count, size + 1);
  const past = records.filter((record) => (record.last?.seq ?? 0) <= size);
  if (past.length === 0) call.output.note('no calls yet');
  call.output.lines(past.toReversed().map((record) => recordLine(record, call.output)));
}

async function printNext(call: Call, reader: LedgerReader, size: number): Promise<void> {
  const { output, session } = call;
  const runId = call.text('run');
  const lines = new LiveLines(reader, output, session.now);
  const isOver = (row: LedgerRow): boolean => runId !== undefined && row.type === 'run_end';
  if (runId !== undefined && hadEnded(reader, runId, size)) return;
  for await (const row of follow(reader, call.home.ledgerDb, size, () => output.open)) {
    if (row === null) {
      if (!output.json) output.lines(lines.slow());
      continue;
    }
    if (runId !== undefined && row.runId !== runId) continue;
    const event = output.json ? eventOf(reader, row) : null;
    if (event !== null) output.value(event);
    if (!output.json) output.lines(lines.push(row));
    if (isOver(row)) return;
  }
}

function hadEnded(reader: LedgerReader, runId: string, size: number): boolean {
  const [last] = reader.byRun(runId, { limit: 1 }).rows;
  return last?.type === 'run_end' && last.seq <= size;
}
