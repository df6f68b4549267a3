import SqliteDatabase from 'better-sqlite3';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Scratch } from '../../testing/scratch.js';
import { openLedgerReader, type EntryInput, type Ledger } from '../index.js';
import { openReadOnly } from '../schema/connection.js';

const DAY = 86_400_000;
const T0 = 1_760_000_000_000;

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.nowMs = T0 + 30 * DAY;
  scratch.create();
});
afterEach(() => scratch.remove());

const folder = (): string => join(scratch.folder, 'segments');
const closed = (): string[] =>
  existsSync(folder())
    ? readdirSync(folder())
        .filter((name) => name.endsWith('.db'))
        .toSorted()
        .map((name) => join(folder(), name))
    : [];

function call(day: number): EntryInput {
  return {
    type: 'tool_call_start',
    ts: T0 + day * DAY,
    runId: null,
    tool: ['files', 'read'],
    data: { call: { call_id: `c${day}` } },
    blobs: { 'call.preview.args_preview': `"secret of day ${day}"` },
  };
}

/** A file for every list of days. The last one stays open. */
async function fill(...files: readonly (readonly number[])[]): Promise<Ledger> {
  let ledger = await scratch.open({ segmentBytes: 1 });
  for (const [at, days] of files.entries()) {
    if (at > 0) {
      await ledger.close();
      ledger = await scratch.open({ segmentBytes: 1 });
    }
    for (const day of days) await ledger.append({ entries: [call(day)] });
  }
  expect(closed()).toHaveLength(files.length - 1);
  return ledger;
}

const withText = (text: string): string[] =>
  [scratch.path, `${scratch.path}-wal`, ...closed()].filter(
    (path) => existsSync(path) && readFileSync(path).includes(text),
  );

/** The days whose previews are there. */
function kept(): number[] {
  const reader = openLedgerReader(scratch.path);
  const rows = reader.byType('tool_call_start', { order: 'asc', limit: 1000 }).rows;
  const days = rows.flatMap(({ seq, ts }) =>
    reader.blob(seq, 'call.preview.args_preview') === null ? [] : [(ts - T0) / DAY],
  );
  reader.close();
  return days;
}

function ranges(): unknown[] {
  const reader = openLedgerReader(scratch.path);
  const rows = reader.byType('previews_expired', { order: 'asc' }).rows.map(({ data }) => data);
  reader.close();
  return rows;
}

describe('previews in closed files', () => {
  it('expire by one range over all files, and are gone from each', async () => {
    const ledger = await fill([1, 2, 3], [4, 5], [6, 7]);
    expect(withText('secret of day 2')).toHaveLength(1);
    const report = await ledger.expirePreviews(T0 + 7 * DAY);
    expect(report).toMatchObject({ expired: { from: 1, count: 6 }, deleted: 6, settled: true });
    expect(kept()).toEqual([7]);
    for (const day of [1, 2, 3, 4, 5, 6]) expect(withText(`secret of day ${day}"`)).toEqual([]);
    expect(readdirSync(folder())).toHaveLength(2);
    await ledger.close();
  });

  it('go on where the newest range ended, in whichever file that stands', async () => {
    let ledger = await fill([1, 2], [3, 4]);
    await ledger.expirePreviews(T0 + 2 * DAY);
    await ledger.close();
    ledger = await scratch.open({ segmentBytes: 1 });
    expect(closed()).toHaveLength(2);
    expect(await ledger.expirePreviews(T0 + 2 * DAY)).toEqual({
      expired: null,
      deleted: 0,
      heldUpBy: null,
      unreadable: [],
      settled: true,
    });
    expect(await ledger.expirePreviews(T0 + 4 * DAY)).toMatchObject({ deleted: 2, settled: true });
    expect(kept()).toEqual([4]);
    const [first, second] = ranges();
    expect(first).toEqual({ count: 1, from: 1, to: 1 });
    expect(second).toMatchObject({ count: 2, from: 2 });
    await ledger.close();
  });

  it('stay where the clock went back before all of the files, and go when it is right again', async () => {
    const ledger = await fill([1, 2], [3, 4], [5]);
    scratch.nowMs = T0 - 400 * DAY;
    expect((await ledger.expirePreviews(scratch.nowMs - 2 * DAY)).expired).toBeNull();
    await ledger.append({ entries: [call(-400)] });
    scratch.nowMs = T0 + 6 * DAY;
    expect((await ledger.expirePreviews(T0 + 4 * DAY)).expired).toMatchObject({ from: 1, count: 3 });
    expect((await ledger.expirePreviews(T0 + 6 * DAY)).expired).toMatchObject({ count: 3 });
    expect(kept()).toEqual([]);
    await ledger.close();
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok', expired: 6 });
  });

  it('of a year ahead that stand in another file go with a later one that is old', async () => {
    const ledger = await fill([1, 1], [365, 366], [367], [2, 9]);
    expect((await ledger.expirePreviews(T0 + 2 * DAY)).expired).toMatchObject({ from: 1, count: 2 });
    expect((await ledger.expirePreviews(T0 + 3 * DAY)).expired).toMatchObject({ from: 3, count: 4 });
    expect(kept()).toEqual([9]);
    await ledger.close();
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok', blobs: 1, expired: 6 });
  });

  it('go later where somebody reads a closed file just now', async () => {
    const ledger = await fill([1, 2], [3]);
    const reader = openReadOnly(closed()[0] ?? '');
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM entry').get();
    expect(await ledger.expirePreviews(T0 + 9 * DAY)).toMatchObject({ deleted: 1, settled: false });
    reader.close();
    expect(await ledger.expirePreviews(T0 + 9 * DAY)).toEqual({
      expired: null,
      deleted: 2,
      heldUpBy: null,
      unreadable: [],
      settled: true,
    });
    expect(kept()).toEqual([]);
    await ledger.close();
  });

  it('stay where the file before them is not there: nobody knows what it keeps', async () => {
    let ledger = await fill([1, 2], [3], [4]);
    await ledger.close();
    const [oldest = ''] = closed();
    renameSync(oldest, join(scratch.folder, 'elsewhere.db'));
    ledger = await scratch.open();
    expect(await ledger.expirePreviews(T0 + 9 * DAY)).toEqual({
      expired: null,
      deleted: 0,
      heldUpBy: { from: 1, to: 1, first: 1, last: expect.any(Number) },
      unreadable: [],
      settled: true,
    });
    renameSync(join(scratch.folder, 'elsewhere.db'), oldest);
    await ledger.close();
    ledger = await scratch.open();
    expect(await ledger.expirePreviews(T0 + 9 * DAY)).toMatchObject({ deleted: 4, settled: true });
    await ledger.close();
  });

  it('leave nothing in any page, however often pages were shared out anew before', async () => {
    const marks: string[] = [];
    for (const file of [1, 2, 3]) {
      const ledger = await scratch.open({ segmentBytes: 1 });
      for (let at = 0; at < 60; at += 1) {
        const entries = Array.from({ length: 6 }, () => {
          const mark = `secret-${marks.push('')}-`;
          marks[marks.length - 1] = mark;
          const repeats = (step: number, most: number): number =>
            1 + (((marks.length - 1) * step + step) % most);
          const blobs = {
            'call.preview.args_preview': mark.repeat(repeats(37, 90)),
            'call.preview.result_preview': mark.repeat(repeats(91, 400)),
          };
          return { ...call(file), blobs };
        });
        await ledger.append({ entries });
      }
      await ledger.close();
    }
    const ledger = await scratch.open({ segmentBytes: 1 });
    expect(closed()).toHaveLength(3);
    expect(await ledger.expirePreviews(T0 + 9 * DAY)).toMatchObject({ settled: true });
    await ledger.close();
    const texts = [scratch.path, ...closed()].map((path) => readFileSync(path, 'latin1'));
    expect(marks[0]).toBe('secret-1-');
    expect(texts.flatMap((text) => text.match(/secret-\d+-/gu) ?? [])).toEqual([]);
  }, 60_000);

  it('go while the ledger goes on in another file between two steps', async () => {
    const ledger = await scratch.open({ segmentBytes: 1 });
    for (let round = 0; round < 12; round += 1)
      await ledger.append({ entries: Array.from({ length: 250 }, () => call(1)) });
    const expiring = ledger.expirePreviews(T0 + 9 * DAY);
    for (let round = 0; round < 12; round += 1)
      await ledger.append({ entries: Array.from({ length: 250 }, () => call(20)) });
    expect(closed().length).toBeGreaterThan(1);
    const { expired } = await expiring;
    expect(expired).toMatchObject({ from: 1 });
    await ledger.expirePreviews(T0 + 9 * DAY);
    expect(withText('secret of day 1"')).toEqual([]);
    const reader = openLedgerReader(scratch.path);
    expect(reader.keptPreviews()).toBe(3000);
    reader.close();
    await ledger.close();
  }, 60_000);

  it('were being deleted when the power went: the next start finishes that', async () => {
    const ledger = await fill([1, 2], [3]);
    await ledger.close();
    const [path = ''] = closed();
    const copies = ['', '-journal'].map((end) => [`${scratch.folder}/copy${end}`, path + end] as const);
    const db = new SqliteDatabase(path);
    db.pragma('synchronous=OFF');
    db.exec('BEGIN; DELETE FROM blob');
    for (const [copy, from] of copies) copyFileSync(from, copy);
    db.exec('ROLLBACK');
    db.close();
    for (const [copy, from] of copies) renameSync(copy, from);
    const why = `a change to \`${path}\` was cut off and has to be undone first: \`${path}-journal\` says how`;
    expect(() => kept()).toThrow(expect.objectContaining({ code: 'ledger_unsafe', message: why }));
    expect(await scratch.verify()).toMatchObject({ verdict: 'unchecked', exit: 1, reasons: [why] });
    const again = await scratch.open();
    expect(existsSync(`${path}-journal`)).toBe(false);
    expect(kept()).toEqual([1, 2, 3]);
    await again.close();
  });

  it.each([
    ['random bytes', Buffer.from('9f'.repeat(4096), 'hex')],
    ['a word', Buffer.from('hello')],
  ])(
    'stand beside what is no journal of theirs, and that is named, with what to do: %s',
    async (_what, bytes) => {
      const ledger = await fill([1, 2], [3]);
      await ledger.close();
      const journal = `${scratch.path}-journal`;
      writeFileSync(journal, bytes);
      expect(await scratch.verify()).toMatchObject({
        verdict: 'unchecked',
        exit: 1,
        reasons: [`\`${journal}\` stands beside the ledger, and is no journal of it`],
        help: `move \`${journal}\` away, and try again`,
      });
      rmSync(journal);
      expect((await scratch.verify()).verdict).not.toBe('unchecked');
    },
  );
});

describe('previews beside a closed file that cannot be read', () => {
  /** Puts garbage in the place of a closed file while `work` runs; the file comes back behind it. */
  async function withGarbageAt(path: string, work: (ledger: Ledger) => Promise<void>): Promise<void> {
    const aside = join(scratch.folder, 'aside.db');
    renameSync(path, aside);
    writeFileSync(path, 'garbage'.repeat(2000));
    const ledger = await scratch.open();
    await work(ledger);
    await ledger.close();
    renameSync(aside, path);
  }

  it('expire in all other files, and what has expired in that one goes once it is back', async () => {
    let ledger = await fill([1, 2], [3, 4], [5, 6]);
    const reader = openReadOnly(closed()[0] ?? '');
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM entry').get();
    await ledger.expirePreviews(T0 + 4 * DAY);
    reader.close();
    await ledger.close();
    const [first = ''] = closed();
    expect(withText('secret of day 1"')).toEqual([first]);
    await withGarbageAt(first, async (open) => {
      expect(await open.expirePreviews(T0 + 6 * DAY)).toMatchObject({
        expired: { count: 2 },
        deleted: 2,
        unreadable: [basename(first)],
        settled: false,
      });
      expect(await open.expirePreviews(T0 + 6 * DAY)).toMatchObject({ expired: null, deleted: 0 });
      for (const day of [3, 4, 5]) expect(withText(`secret of day ${day}"`)).toEqual([]);
    });
    ledger = await scratch.open();
    expect(await ledger.expirePreviews(T0 + 6 * DAY)).toEqual({
      expired: null,
      deleted: 2,
      heldUpBy: null,
      unreadable: [],
      settled: true,
    });
    expect(kept()).toEqual([6]);
    await ledger.close();
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok', expired: 5 });
  });

  it('expire before it, and behind it once it is back: an entry says how many of them there were', async () => {
    const filled = await fill([1, 2], [3], [4], [5]);
    await filled.expirePreviews(T0 + 2 * DAY);
    await filled.close();
    const [, second = ''] = closed();
    await withGarbageAt(second, async (open) => {
      expect(await open.expirePreviews(T0 + 9 * DAY)).toMatchObject({
        expired: { count: 1 },
        deleted: 1,
        unreadable: [basename(second)],
      });
      expect(await open.expirePreviews(T0 + 9 * DAY)).toMatchObject({ expired: null, deleted: 0 });
    });
    const ledger = await scratch.open();
    expect(await ledger.expirePreviews(T0 + 9 * DAY)).toMatchObject({ deleted: 3, unreadable: [] });
    expect(kept()).toEqual([]);
    await ledger.close();
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok', expired: 5 });
  });

  it('stay where that one may say what has expired last', async () => {
    let ledger = await fill([1, 2], [3], [4]);
    await ledger.expirePreviews(T0 + 3 * DAY);
    await ledger.close();
    for (const day of [5, 6]) {
      ledger = await scratch.open({ segmentBytes: 1 });
      await ledger.append({ entries: [call(day)] });
      await ledger.close();
    }
    const saying = closed().at(-2) ?? '';
    await withGarbageAt(saying, async (open) => {
      expect(await open.expirePreviews(T0 + 9 * DAY)).toMatchObject({
        expired: null,
        unreadable: [basename(saying)],
      });
    });
    ledger = await scratch.open();
    expect(await ledger.expirePreviews(T0 + 9 * DAY)).toMatchObject({ expired: { count: 4 } });
    await ledger.close();
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok', expired: 6 });
  });

  it('expire before damage that only a walk through a file meets', async () => {
    let ledger = await scratch.open();
    for (const day of [1, 2, 3])
      await ledger.append({ entries: Array.from({ length: 250 }, () => call(day)) });
    await ledger.expirePreviews(T0 + 2 * DAY);
    await ledger.close();
    for (const day of [4, 5]) {
      ledger = await scratch.open({ segmentBytes: 1 });
      await ledger.append({ entries: [call(day)] });
      await ledger.close();
    }
    const [first = ''] = closed();
    const bytes = readFileSync(first);
    const pages = openReadOnly(first);
    const leaf = pages
      .prepare<[], { at: number; size: number }>(
        `SELECT pgoffset AS at, pgsize AS size FROM dbstat WHERE name = 'blob' AND pagetype = 'leaf'
        ORDER BY path DESC LIMIT 1`,
      )
      .get();
    pages.close();
    const { at = 0, size = 0 } = leaf ?? {};
    writeFileSync(first, Buffer.from(bytes).fill(0xff, at, at + size));
    ledger = await scratch.open();
    const unreadable = [basename(first)];
    expect(await ledger.expirePreviews(T0 + 9 * DAY)).toMatchObject({ unreadable, expired: null });
    await ledger.close();
    writeFileSync(first, bytes);
    ledger = await scratch.open();
    expect(await ledger.expirePreviews(T0 + 9 * DAY)).toMatchObject({ expired: { count: 502 } });
    await ledger.close();
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok', expired: 752 });
  }, 60_000);
});
