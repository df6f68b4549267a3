import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import {
  findRun,
  flaggedJson,
  follow,
  isOfRecord,
  LiveRecords,
  newestTold,
  runEnd,
  search,
  toldEvent,
  toolOf,
  type CallRecord,
} from '@subluminal/records';
import type { Command } from 'commander';
import { EXIT } from '../program/exit/codes.js';
import type { Call } from '../program/call.js';
import { string, unless, whole } from '../program/flags.js';
import type { Does } from '../program/verb.js';
import { INNER_ACTIONS } from '../record/inner-actions.js';
import { withRecord } from '../record/open.js';
import { recordLine } from '../record/lines.js';
import { LiveLines } from '../record/live-lines.js';

const FLAGS = {
  run: string('<id>', 'only this run (its id, or the part of it that tables show); ends when it ends'),
  lines: {
    ...whole('<n>', 'how many of the past to show first (0 to 1000, default 10)', 0, 1000),
    short: 'n',
  },
  follow: unless('stop after the past', { description: 'go on with what comes (the default)', short: 'f' }),
};

/**
 * `sub tail`: the newest calls, and the next as they come. `--json` gives events of Contract A, and actions
 * as records.
 */
export function define(command: Command, does: Does): void {
  does(command, FLAGS, async (call) => {
    await withRecord(call.home, async (reader) => {
      const { size } = reader;
      const past = call.flags.lines ?? 10;
      const run = call.flags.run;
      const runId = run === undefined ? undefined : findRun(reader, run);
      printPast(call, reader, runId, size, past);
      if (call.flags.follow) await printNext(call, reader, runId, size);
    });
    return EXIT.done;
  });
}

/** Prints the entries up to `size`; `printNext` prints those that have come since. */
function printPast(
  call: Call,
  reader: LedgerReader,
  runId: string | undefined,
  size: number,
  count: number,
): void {
  if (count === 0) return;
  if (call.output.json) {
    for (const one of newestTold(reader, runId, size, count)) call.output.value(one);
    return;
  }
  const { records } = search(
    reader,
    { leaveOut: INNER_ACTIONS, ...(runId === undefined ? {} : { runId }) },
    count,
    size + 1,
  );
  const past = records.filter((record) => (record.last?.seq ?? 0) <= size);
  if (past.length === 0) call.output.note('no calls yet');
  call.output.lines(past.toReversed().map((record) => recordLine(record, call.output)));
}

async function printNext(
  call: Call,
  reader: LedgerReader,
  runId: string | undefined,
  size: number,
): Promise<void> {
  const { output } = call;
  const told = output.json ? valuesOf(call, reader) : linesOf(call, reader);
  const isOver = (row: LedgerRow): boolean => runId !== undefined && row.type === 'run_end';
  const end = runId === undefined ? undefined : runEnd(reader, runId);
  if (end !== undefined && end.seq <= size) return;
  for await (const row of follow(reader, call.home.ledgerDb, size, () => output.open)) {
    if (row === null) told.slow();
    else if (runId === undefined || row.runId === runId) {
      told.push(row);
      if (isOver(row)) return;
    }
  }
}

/** Prints what entries tell, and what has been open for long. */
interface Teller {
  push(row: LedgerRow): void;
  slow(): void;
}

function linesOf({ output, session }: Call, reader: LedgerReader): Teller {
  const lines = new LiveLines(reader, output, session.now);
  return {
    push: (row) => output.lines(lines.push(row)),
    slow: () => output.lines(lines.slow()),
  };
}

/** Calls have events of their own. */
function valuesOf({ output, session }: Call, reader: LedgerReader): Teller {
  const live = new LiveRecords(reader, session.now);
  const tell = (records: readonly CallRecord[]): void => {
    for (const record of records) if (toolOf(record) === null) output.value(flaggedJson(reader, record));
  };
  return {
    push(row) {
      const event = toldEvent(reader, row);
      if (event !== null) output.value(event);
      else if (isOfRecord(row)) tell(live.push(row));
    },
    slow: () => tell(live.slow()),
  };
}
