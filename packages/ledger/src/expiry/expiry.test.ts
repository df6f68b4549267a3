import { existsSync, readFileSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attack, fillRun, Scratch, withoutTriggers } from '../../testing/scratch.js';
import { openLedgerReader, type EntryInput, type Ledger } from '../index.js';
import { openReadOnly } from '../schema/connection.js';

const DAY = 86_400_000;
const T0 = 1_760_000_000_000;

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.nowMs = T0 + 10 * DAY;
  scratch.create();
});
afterEach(() => scratch.remove());

/** A call whose arguments say which day they are of. */
function call(day: number, text = `secret of day ${day}`): EntryInput {
  return {
    type: 'tool_call_start',
    ts: T0 + day * DAY,
    runId: null,
    tool: ['files', 'read'],
    data: { call: { call_id: `c${day}` } },
    blobs: { 'call.preview.args_preview': text },
  };
}

const append = async (ledger: Ledger, ...entries: EntryInput[]): Promise<void> => {
  for (const entry of entries) await ledger.append({ entries: [entry] });
};

/** The previews that are there, by seq. */
function kept(): number[] {
  const db = openReadOnly(scratch.path);
  try {
    return db.prepare<[], number>('SELECT seq FROM blob ORDER BY seq').pluck().all();
  } finally {
    db.close();
  }
}

const onDisk = (text: string): boolean =>
  ['', '-wal'].some(
    (end) => existsSync(scratch.path + end) && readFileSync(scratch.path + end).includes(text),
  );

describe('previews that expire', () => {
  it('are gone from the files, their entries say what they were, and the ledger verifies', async () => {
    const ledger = await scratch.open();
    await append(ledger, call(1), call(2), call(3));
    expect(onDisk('secret of day 2')).toBe(true);
    const report = await ledger.expirePreviews(T0 + 3 * DAY);
    expect(report).toEqual({
      expired: { from: 1, to: 2, count: 2 },
      deleted: 2,
      heldUpBy: null,
      unreadable: [],
      settled: true,
    });
    expect(kept()).toEqual([3]);
    expect(onDisk('secret of day 1') || onDisk('secret of day 2')).toBe(false);
    expect(onDisk('secret of day 3')).toBe(true);
    expect(await ledger.expirePreviews(T0 + 3 * DAY)).toEqual({
      expired: null,
      deleted: 0,
      heldUpBy: null,
      unreadable: [],
      settled: true,
    });
    expect((await ledger.expirePreviews(T0 + 4 * DAY)).expired).toEqual({ from: 3, to: 3, count: 1 });
    await ledger.close();
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok', exit: 0, blobs: 0, expired: 3 });
    const reader = openLedgerReader(scratch.path);
    expect(reader.byType('previews_expired', { order: 'asc' }).rows.map((row) => row.data)).toEqual([
      { count: 2, from: 1, to: 2 },
      { count: 1, from: 3, to: 3 },
    ]);
    expect(reader.expiredUpTo()).toBe(3);
    reader.close();
  });
});

describe('previews that expire', () => {
  it('are many: one entry, and small steps between the commits of others', async () => {
    const ledger = await scratch.open();
    await ledger.append({ entries: Array.from({ length: 300 }, () => call(1)) });
    for (let round = 0; round < 20; round += 1)
      await ledger.append({ entries: Array.from({ length: 250 }, () => call(2)) });
    const expiring = ledger.expirePreviews(T0 + 5 * DAY);
    await append(ledger, call(9));
    expect(kept().length).toBeGreaterThan(0);
    expect(await expiring).toMatchObject({ expired: { from: 1, to: 5304, count: 5300 }, deleted: 5300 });
    expect(kept()).toHaveLength(1);
    await ledger.close();
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok', blobs: 1, expired: 5300 });
  });

  it('do not go before older ones, whatever a wrong clock wrote', async () => {
    const ledger = await scratch.open();
    // 1970, a day that has not come yet, and the present.
    await append(ledger, { ...call(1), ts: 5 }, call(400), call(2), call(8), { ...call(1), ts: 6 }, call(9));
    expect((await ledger.expirePreviews(T0 + 5 * DAY)).expired).toEqual({ from: 1, to: 3, count: 3 });
    expect(kept()).toEqual([4, 5, 6]);
    await ledger.close();
  });

  it('stay where the clock goes back behind all of them', async () => {
    const ledger = await scratch.open();
    await append(ledger, call(1), call(2));
    for (const back of [1, 40, 20_000]) {
      scratch.nowMs = T0 - back * DAY;
      expect((await ledger.expirePreviews(scratch.nowMs - 30 * DAY)).expired).toBeNull();
    }
    expect(kept()).toEqual([1, 2]);
    await ledger.close();
  });

  it('of a time that has not come yet go with a later one that is old, and not before', async () => {
    const ledger = await scratch.open();
    const ahead = Array.from({ length: 2500 }, () => call(400));
    await ledger.append({ entries: ahead.slice(0, 2000) });
    await ledger.append({ entries: [...ahead.slice(2000), call(3), call(500), call(9)] });
    expect((await ledger.expirePreviews(T0 + 3 * DAY)).expired).toBeNull();
    const { expired } = await ledger.expirePreviews(T0 + 4 * DAY);
    expect(expired).toMatchObject({ from: 1, count: 2501 });
    expect(kept()).toHaveLength(2);
    await ledger.close();
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok', blobs: 2, expired: 2501 });
  });

  it('go whatever their time says where none is to be kept', async () => {
    const ledger = await scratch.open();
    await append(ledger, call(1), call(400));
    const report = await ledger.expirePreviews(Number.POSITIVE_INFINITY);
    expect(report).toMatchObject({ expired: { from: 1, to: 2, count: 2 }, deleted: 2 });
    await ledger.close();
  });

  it('may still be there after a crash, and go with the next ones', async () => {
    const ledger = await scratch.open();
    await append(ledger, call(1), call(2));
    await append(ledger, {
      type: 'previews_expired',
      ts: T0,
      runId: null,
      data: { count: 1, from: 1, to: 1 },
    });
    await ledger.close();
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok', blobs: 2, expired: 1 });
    const again = await scratch.open();
    expect(await again.expirePreviews(T0)).toEqual({
      expired: null,
      deleted: 1,
      heldUpBy: null,
      unreadable: [],
      settled: true,
    });
    expect(kept()).toEqual([2]);
    await again.close();
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok', blobs: 1, expired: 1 });
  });

  it('are waited for by no one: a reader that holds the log leaves it as it is until the next time', async () => {
    const ledger = await scratch.open();
    await append(ledger, call(1));
    const reader = openReadOnly(scratch.path);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM entry').get();
    expect(await ledger.expirePreviews(T0 + 5 * DAY)).toMatchObject({ deleted: 1, settled: false });
    reader.exec('COMMIT');
    reader.close();
    await append(ledger, call(2));
    expect(await ledger.expirePreviews(T0 + 5 * DAY)).toMatchObject({ deleted: 1, settled: true });
    expect(onDisk('secret')).toBe(false);
    await ledger.close();
  });

  it('leave room that the file uses again', async () => {
    const ledger = await scratch.open();
    const size = (): number => {
      const db = openReadOnly(scratch.path);
      const pages = Number(db.pragma('page_count', { simple: true }));
      db.close();
      return pages;
    };
    let first = 0;
    for (let round = 0; round < 6; round += 1) {
      await ledger.append({ entries: Array.from({ length: 100 }, () => call(1, 'x'.repeat(4000))) });
      await ledger.expirePreviews(T0 + 5 * DAY);
      first ||= size();
    }
    expect(size()).toBeLessThan(first * 2);
    await ledger.close();
  });
});

describe('an expiry that is not one', () => {
  /** Verifies a ledger in which `data` stands as an expiry, and `edit` was done behind its back. */
  async function found(
    data: EntryInput['data'] | undefined,
    edit?: (db: Database) => void,
  ): Promise<unknown> {
    const ledger = await scratch.open();
    await fillRun(ledger, 'r', 3);
    if (data !== undefined) await append(ledger, { type: 'previews_expired', ts: T0, runId: null, data });
    await ledger.close();
    if (edit !== undefined) attack(scratch.path, (db) => withoutTriggers(db, () => edit(db)));
    const { verdict, finding } = await scratch.verify();
    return finding === null ? verdict : `${finding.class} ${finding.seq}`;
  }
  const drop = (where: string) => (db: Database) => void db.exec(`DELETE FROM blob WHERE ${where}`);

  it('does not cover previews that are missing outside of its range', async () => {
    expect(await found({ count: 2, from: 1, to: 5 }, drop('seq > 5'))).toBe('blob 8');
  });

  it('covers those inside', async () => {
    expect(await found({ count: 2, from: 1, to: 5 }, drop('seq = 2'))).toBe('ok');
  });

  it('covers nothing where there is none', async () => {
    expect(await found(undefined, drop('seq = 2'))).toBe('blob 2');
  });

  it.each([
    ['its own entry or later ones', { count: 3, from: 1, to: 11 }],
    ['more previews than there were', { count: 3, from: 1, to: 5 }],
    ['no range', { from: 1 }],
    ['something besides', { count: 2, from: 1, to: 5, why: 'x' }],
  ])('is found where it names %s', async (_, data) => {
    expect(await found(data)).toBe('blob 11');
  });

  it('is found where it does not go on from the one before', async () => {
    const ledger = await scratch.open();
    await append(ledger, call(1), call(2), call(3));
    await ledger.expirePreviews(T0 + 2 * DAY);
    await append(ledger, {
      type: 'previews_expired',
      ts: T0,
      runId: null,
      data: { count: 1, from: 3, to: 3 },
    });
    await ledger.close();
    expect(await scratch.verify()).toMatchObject({ finding: { class: 'blob', seq: 5 } });
  });
});
