import type { LedgerReader, LedgerRow, Page } from '@subluminal/ledger';
import type { ReportScope } from './report.js';

/** Lets other work go on, if enough of it was done in one go. */
export type Turn = () => Promise<void> | undefined;

const PAGE = 500;
/** So many pages are read before the files are let go of, so that the ledger can go on in another. */
const PAGES_HELD = 64;

/** The entries of a run, or of some time, newest first. */
export async function* rowsIn(
  reader: LedgerReader,
  { runId, sinceMs = 0, untilMs = Number.MAX_SAFE_INTEGER }: ReportScope,
  turn: Turn,
): AsyncGenerator<LedgerRow> {
  let cursor: number | null = null;
  let pages = 0;
  do {
    const options = { limit: PAGE, cursor };
    const page: Page<LedgerRow> =
      runId === undefined ? reader.byTimeRange(sinceMs, untilMs, options) : reader.byRun(runId, options);
    for (const row of page.rows) {
      if (row.ts >= sinceMs && row.ts <= untilMs) yield row;
      await turn();
    }
    pages += 1;
    if (pages % PAGES_HELD === 0) reader.release();
    cursor = page.next;
  } while (cursor !== null);
}
