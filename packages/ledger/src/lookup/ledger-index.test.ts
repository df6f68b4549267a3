import SqliteDatabase from 'better-sqlite3';
import { existsSync, mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { indexBlocks } from '../../testing/indexed.js';
import { beginCall, endCall, fillRun, runStart, Scratch } from '../../testing/scratch.js';
import { openLedgerReader, type EntryInput, type Ledger, type Page } from '../index.js';
import { closedSegments, segmentsFolder } from '../segments/closed.js';
import { KINDS } from '../entry/kinds.js';
import { LedgerIndex } from './ledger-index.js';
import { markOf } from './marks.js';
import { indexPath, removeIndex } from './schema.js';

const T0 = 1_760_000_000_000;
const ALL = Number.MAX_SAFE_INTEGER;

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.create();
});
afterEach(() => scratch.remove());

/** Entries of many tools at rising times, but for one where the clock went back; every 97th was refused. */
async function write(ledger: Ledger, run: string, calls: number): Promise<void> {
  await ledger.append({ entries: [runStart(run)] });
  const at = ledger.head().seq;
  for (let call = 0; call < calls; call += 1) {
    const id = `${run}-${call}`;
    const { entries, seen } = beginCall(run, id);
    const ts = T0 + (at + call) * 10 - (call === 100 ? 500_000 : 0);
    const tool = ['files', `tool-${call % 200 === 7 ? 'rare' : call % 3}`] as const;
    const code = call % 97 === 0 ? 'BLOCK' : 'ALLOW';
    const made = entries.map((entry): EntryInput => ({ ...entry, ts, tool }));
    const [start, decision] = made;
    if (start === undefined || decision === undefined) throw new Error('no call');
    const begun = await ledger.append({ entries: [start, { ...decision, code }], seen });
    const ref = begun.ok ? (begun.entries[1]?.seq ?? 0) : 0;
    await ledger.append({ entries: [{ ...endCall(run, id, ref), ts, tool }] });
  }
}

async function inNextFile(run: string, calls: number): Promise<void> {
  const ledger = await scratch.open({ segmentBytes: 1 });
  await write(ledger, run, calls);
  await ledger.close();
}

function every(list: (page: { cursor: number | null }) => Page<{ readonly seq: number }>): number[] {
  const found: number[] = [];
  for (let cursor: number | null = null; ;) {
    const { rows, next } = list({ cursor });
    found.push(...rows.map(({ seq }) => seq));
    if (next === null) return found;
    cursor = next;
  }
}

/** The answers to every kind of question that the index serves. */
function answers(): unknown {
  const reader = openLedgerReader(scratch.path);
  try {
    return (['asc', 'desc'] as const).map((order) => ({
      time: every((page) => reader.byTimeRange(T0 + 1000, T0 + 6000, { ...page, order })),
      back: every((page) => reader.byTimeRange(0, T0 - 1, { ...page, order })),
      tool: every((page) => reader.byTool('files', 'tool-rare', { ...page, order, limit: 3 })),
      common: every((page) => reader.byTool('files', 'tool-1', { ...page, order })),
      nobody: every((page) => reader.byTool('files', 'tool-9', { ...page, order })),
      blocked: every((page) => reader.byDecision('BLOCK', { ...page, order, limit: 2 })),
      allowed: every((page) => reader.byDecision('ALLOW', { ...page, order })),
      ends: every((page) => reader.byType('tool_call_end', { ...page, order })),
      pendings: every((page) => reader.byType('action_pending', { ...page, order })),
      calls: ['a-0', 'b-100', 'c-250', 'd-1', 'nobody'].map((id) => reader.call(id)?.start.seq),
      since: [...reader.runsWithCallsSince(T0 + 9000)],
      swept: reader.sweep({
        runIds: ['c'],
        since: T0 + 5000,
        actions: [],
        types: ['run_start', 'tool_call_start'],
      }),
    }));
  } finally {
    reader.close();
  }
}

const withoutIndex = (): unknown => {
  removeIndex(indexPath(scratch.path));
  return answers();
};

describe('an index', () => {
  it('of any length changes no answer, over all files of a ledger', async () => {
    await inNextFile('a', 260);
    await inNextFile('b', 130);
    await inNextFile('c', 300);
    const expected = withoutIndex();
    const lengths = [0];
    for (let blocks = 1; ; blocks += 1) {
      const upTo = indexBlocks(scratch.path, 1);
      expect(answers()).toEqual(expected);
      if (upTo === lengths.at(-1)) break;
      lengths.push(upTo);
    }
    const [first, second] = closedSegments(segmentsFolder(scratch.path));
    expect(lengths).toEqual(expect.arrayContaining([256, 512, 768, first?.last, second?.last]));
    await inNextFile('d', 40);
    const grown = answers();
    expect(grown).toEqual(withoutIndex());
    expect(grown).not.toEqual(expected);
  });

  it('is filled behind the commits, without being asked', async () => {
    const ledger = await scratch.open();
    await write(ledger, 'a', 200);
    await vi.waitFor(() => expect(ledger.index).toEqual({ upTo: 512, failure: null }));
    expect(statSync(indexPath(scratch.path)).mode & 0o777).toBe(0o600);
    await ledger.close();
    const again = await scratch.open();
    await write(again, 'b', 60);
    await vi.waitFor(() => expect(again.index.upTo).toBe(768));
    await again.close();
    expect(answers()).toEqual(withoutIndex());
  });

  it('leaves out what lies in a file that is elsewhere, and takes it in when it is back', async () => {
    await inNextFile('a', 260);
    await inNextFile('b', 130);
    await inNextFile('c', 300);
    const expected = withoutIndex();
    const [, second] = closedSegments(segmentsFolder(scratch.path));
    const away = join(scratch.folder, 'away.db');
    renameSync(second?.path ?? '', away);
    const fewer = withoutIndex();
    indexBlocks(scratch.path, ALL);
    expect(answers()).toEqual(fewer);
    renameSync(away, second?.path ?? '');
    expect(answers()).toEqual(expected);
    indexBlocks(scratch.path, ALL);
    expect(answers()).toEqual(expected);
  });

  it('of another history is not asked, and is made anew', async () => {
    await inNextFile('a', 200);
    indexBlocks(scratch.path, ALL);
    const other = scratch;
    scratch = new Scratch();
    scratch.create();
    await inNextFile('b', 220);
    const expected = withoutIndex();
    renameSync(indexPath(other.path), indexPath(scratch.path));
    other.remove();
    expect(answers()).toEqual(expected);
    indexBlocks(scratch.path, ALL);
    expect(answers()).toEqual(expected);
    const db = new SqliteDatabase(indexPath(scratch.path));
    expect(db.prepare('SELECT max(last) FROM block').pluck().get()).toBe(512);
    db.close();
  });

  it.each<readonly [string, (file: string) => void]>([
    ['is no database', (file) => writeFileSync(file, 'x'.repeat(5000))],
    ['is empty', (file) => writeFileSync(file, '')],
    ['leads nowhere', (file) => symlinkSync(join(dirname(file), 'nowhere'), file)],
  ])('in whose place something stands that %s changes no answer, and is made anew', async (_, put) => {
    await inNextFile('a', 200);
    const expected = withoutIndex();
    put(indexPath(scratch.path));
    expect(answers()).toEqual(expected);
    expect(indexBlocks(scratch.path, ALL)).toBe(512);
    expect(answers()).toEqual(expected);
  });

  it.each<readonly [string, (file: string) => void]>([
    ['has other tables', (file) => new SqliteDatabase(file).exec('DROP TABLE mark').close()],
    ['is of a later version', (file) => new SqliteDatabase(file).exec('PRAGMA user_version=9').close()],
    ['has its pages overwritten', (file) => writeFileSync(file, Buffer.alloc(40_000, 7), { flag: 'r+' })],
  ])('that %s changes no answer, and is made anew', async (_, damage) => {
    await inNextFile('a', 200);
    const expected = withoutIndex();
    indexBlocks(scratch.path, ALL);
    damage(indexPath(scratch.path));
    expect(answers()).toEqual(expected);
    expect(indexBlocks(scratch.path, ALL)).toBe(512);
    expect(answers()).toEqual(expected);
  });

  it('that cannot be kept holds up no commit, and says why', async () => {
    mkdirSync(indexPath(scratch.path));
    writeFileSync(join(indexPath(scratch.path), 'full'), '');
    const ledger = await scratch.open();
    await fillRun(ledger, 'a', 120);
    await vi.waitFor(() => expect(ledger.index.failure).toMatch(/directory|EISDIR/i));
    await fillRun(ledger, 'b', 120);
    await ledger.close();
    expect((await scratch.verify()).verdict).toBe('ok');
  });

  it('is no part of a verification', async () => {
    await inNextFile('a', 200);
    indexBlocks(scratch.path, ALL);
    const db = new SqliteDatabase(indexPath(scratch.path));
    db.exec('DELETE FROM mark');
    db.close();
    expect((await scratch.verify()).finding).toBeNull();
    expect(existsSync(indexPath(scratch.path))).toBe(true);
  });
});

it('a question is narrowed down to the blocks that may hold an answer, and to what has no block yet', async () => {
  const ledger = await scratch.open();
  await write(ledger, 'a', 1000);
  await ledger.close();
  indexBlocks(scratch.path, ALL);
  const reader = openLedgerReader(scratch.path);
  const index = new LedgerIndex({
    path: scratch.path,
    ledger: () => reader.genesis.fingerprint,
    leafOf: (seq) => reader.entry(seq)?.leaf,
  });
  const { size } = reader;
  const tail = [Math.floor(size / 256) * 256 + 1, size];
  const start = reader.call('a-500')?.start.seq ?? 0;
  const first = start - ((start - 1) % 256);
  const call = { marks: [markOf('call', 'a-500')] };
  expect(index.ranges(call, 1, size)).toEqual([[first, first + 255], tail]);
  expect(index.ranges(call, start, start + 3)).toEqual([[start, start + 3]]);
  expect(index.ranges({ marks: [markOf('call', 'nobody')] }, 1, size)).toEqual([tail]);
  expect(index.ranges({ toMs: T0 - 1 }, 1, size)).toEqual([[257, 512], tail]);
  expect(index.ranges({ marks: [markOf('kind', KINDS.tool_call_end)] }, 1, size)).toEqual([[1, size]]);
  index.release();
  reader.close();
});
