import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { describe, expect, it } from 'vitest';
import { coverage } from './coverage.js';
import { placesOf } from './places.js';

const RUN = 'AbCdEfGhIjKlMnOp';
const START = { seq: 1, ts: 1, type: 'run_start', runId: RUN, tool: null, ref: null, data: {} };

/** A ledger with no end of entries, of which each page takes a while to read. */
function endless(): {
  readonly reader: LedgerReader;
  readonly now: () => number;
  readonly pages: () => number;
} {
  let [time, pages] = [0, 0];
  const page = (row: object, next: number | null) => {
    pages += 1;
    time += 100;
    const rows = [row as unknown as LedgerRow];
    return { rows, next };
  };
  const busy = { ...START, seq: 1_000_000, ts: 1_000_000, runId: null, type: 'action_pending' };
  const reader = {
    runs: () => ({ rows: [{ runId: RUN, start: START, end: null }], next: null }),
    byType: () => page(busy, 5),
    byAction: () => page(busy, 5),
    byRun: () => ({ rows: [START], next: null }),
    runsLike: () => [RUN],
  };
  return { reader: reader as unknown as LedgerReader, now: () => time, pages: () => pages };
}

describe('a count over entries without end', () => {
  it('of where a run went stops in time, and says so', () => {
    const { now, pages, reader } = endless();
    expect(placesOf(reader, RUN, now).is_whole).toBe(false);
    expect(pages()).toBeLessThanOrEqual(7);
  });

  it('of the ways of runs stops in time, and says so', () => {
    const { now, pages, reader } = endless();
    expect(coverage(reader, now)).toMatchObject({ runs: 1, is_whole: false });
    expect(pages()).toBeLessThanOrEqual(9);
  });
});
