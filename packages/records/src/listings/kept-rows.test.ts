import type { LedgerRow, PageOptions } from '@subluminal/ledger';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KeptRows } from './kept-rows.js';

/** A listing of every second entry of a ledger that grows; the time of an entry is its number. */
function listing() {
  const ledger = { size: 0 };
  let read = 0;
  const page = ({ cursor = null, limit = 100, order = 'desc' }: PageOptions) => {
    const ascending = order === 'asc';
    const all = Array.from({ length: Math.floor(ledger.size / 2) }, (_, at) => 2 * at + 2);
    const found = (ascending ? all : all.toReversed()).filter(
      (seq) => cursor === null || (ascending ? seq > cursor : seq < cursor),
    );
    const rows = found.slice(0, limit).map((seq) => {
      read += 1;
      return { seq, ts: seq, runId: null } as LedgerRow;
    });
    return { rows, next: found.length > limit ? (rows.at(-1)?.seq ?? null) : null };
  };
  const kept = new KeptRows(ledger, page, ({ seq }) => `fact ${seq}`);
  return { kept, ledger, page, read: () => read };
}

/** The numbers of that many entries, up to the newest one. */
const last = (count: number, size: number): number[] =>
  Array.from(
    { length: Math.floor(count) },
    (_, at) => 2 * (Math.floor(size / 2) - Math.floor(count) + at + 1),
  );

it('reads each row once, however often it is asked, and whatever has come meanwhile', () => {
  const { kept, ledger, read } = listing();
  ledger.size = 10_000;
  for (let round = 0; round < 4; round += 1) {
    const { isWhole, rows } = kept.since(0);
    expect([isWhole, rows.map(({ seq }) => seq)]).toEqual([true, last(ledger.size / 2, ledger.size)]);
    expect(rows.at(-1)).toEqual({
      seq: ledger.size,
      ts: ledger.size,
      runId: null,
      fact: `fact ${ledger.size}`,
    });
    expect(read()).toBe(ledger.size / 2);
    kept.since(0);
    expect(read()).toBe(ledger.size / 2);
    ledger.size += 80;
  }
});

it('reads no further back than is asked for, and on from there', () => {
  const { kept, ledger, read } = listing();
  ledger.size = 20_000;
  expect(kept.since(19_000)).toMatchObject({ isWhole: true });
  expect(read()).toBe(1000);
  expect(kept.since(15_000)).toMatchObject({ isWhole: true });
  expect(read()).toBe(3000);
});

it('keeps the newest twenty thousand, and says that it is not whole', () => {
  const { kept, ledger } = listing();
  for (const [size, since, isWhole] of [
    [40_010, 0, false],
    [40_210, 0, false],
    [40_210, 39_000, true],
    [100_000, 0, false],
    [900_000, 899_000, true],
  ] as const) {
    ledger.size = size;
    const found = kept.since(since);
    expect([size, found.isWhole]).toEqual([size, isWhole]);
    expect(found.rows.map(({ seq }) => seq)).toEqual(last(found.rows.length, size));
    expect(found.rows.length).toBeLessThanOrEqual(20_000);
  }
});

it('takes nothing for known where a page cannot be read, at first or after very many new entries', () => {
  const { kept, ledger, page } = listing();
  let isBroken = true;
  const broken = new KeptRows(
    ledger,
    (asked) => {
      if (isBroken) throw new Error('the file is not there');
      return page(asked);
    },
    ({ seq }) => seq,
  );
  for (const size of [1000, 500_000]) {
    ledger.size = size;
    isBroken = true;
    expect(() => broken.since(0)).toThrow('the file is not there');
    isBroken = false;
    expect(broken.since(0).rows.length).toBe(kept.since(0).rows.length);
    expect(broken.since(0).rows.length).toBe(Math.min(20_000, size / 2));
  }
});

it('has no gap and none twice, whenever it is asked, for whatever time, and however soon it is enough', () => {
  const step = fc.record({
    more: fc.nat({ max: 6000 }),
    since: fc.nat({ max: 9000 }),
    patience: fc.nat({ max: 4 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const { kept, ledger } = listing();
      for (const { more, patience, since } of steps) {
        ledger.size += more;
        let asked = 0;
        const { isWhole, rows } = kept.since(since, () => (asked += 1) > patience);
        const seqs = rows.map(({ seq }) => seq);
        expect(seqs).toEqual(last(seqs.length, seqs.at(-1) ?? 0));
        const wanted = last(ledger.size / 2, ledger.size).filter((seq) => seq >= since);
        if (isWhole) expect(seqs.filter((seq) => seq >= since)).toEqual(wanted);
        else expect(asked).toBeGreaterThan(patience);
        expect(kept.since(since)).toMatchObject({ isWhole: true });
      }
    }),
    { numRuns: 60 },
  );
});
