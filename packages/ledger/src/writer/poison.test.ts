import type { Database } from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Scratch, SIGNING_KEY, WORKER_URL } from '../../testing/scratch.js';
import { Salts } from '../entry/salts.js';
import { openReadOnly, openWriter } from '../schema/connection.js';
import { chooseDriver } from './choose.js';
import { CommitQueue } from './commit-queue.js';
import { InlineDriver } from './inline-driver.js';
import { WorkerDriver } from './worker-driver.js';

/** `lost`: COMMIT fails and nothing is written. `kept`: it reports failure although everything was written. */
type Fault = 'none' | 'lost' | 'kept';

describe('a commit that fails', () => {
  let scratch: Scratch;
  let queue: CommitQueue;
  let fault: Fault;
  let opened: number;
  let afterCommit: () => void;

  beforeEach(async () => {
    scratch = new Scratch();
    scratch.create();
    fault = 'none';
    opened = 0;
    afterCommit = () => undefined;
    const store = {
      path: scratch.path,
      headsLog: scratch.headsLog,
      privateKey: SIGNING_KEY,
      sealKeyPath: scratch.sealKey,
      durability: 'process',
      openDatabase: (path: string) => {
        opened += 1;
        return failingCommit(
          openWriter(path, 'process'),
          () => fault,
          () => afterCommit(),
        );
      },
    } as const;
    const drivers = {
      place: 'inline' as const,
      create: () => new InlineDriver(store),
      shouldMove: () => false,
    };
    queue = new CommitQueue({
      drivers,
      clock: () => (scratch.nowMs += 100),
      salts: new Salts(randomBytes),
      release: () => undefined,
    });
    await queue.open();
  });
  afterEach(async () => {
    await queue.close();
    scratch.remove();
  });

  const append = (i: number) =>
    queue.append({ entries: [{ type: 'shim_health', ts: i, runId: 'r', data: { i } }] });
  const endRun = () =>
    queue.append({ entries: [{ type: 'run_end', ts: 1, runId: 'ending', code: 'SUCCEEDED', data: {} }] });
  /** Appends until the ledger takes it: each append may try once to open it again, later and later. */
  const appendOnceReady = async (i: number) => {
    const taken = () =>
      append(i).then(
        (result) => result.ok,
        () => false,
      );
    await expect.poll(taken, { timeout: 20_000 }).toBe(true);
  };

  it.each(['lost', 'kept'] as const)(
    'rejects everything that waited, and goes on from what is on the disk (%s)',
    async (how) => {
      await append(1);
      fault = how;
      const failed = await Promise.allSettled([append(2), append(3)]);
      expect(failed).toMatchObject([
        { status: 'rejected', reason: { code: 'audit_unavailable' } },
        { status: 'rejected', reason: { code: 'audit_unavailable' } },
      ]);
      fault = 'none';
      await appendOnceReady(4);
      const kept = how === 'kept' ? 2 : 0;
      expect(queue.tip.seq).toBe(2 + kept);
      await queue.close();
      expect(await scratch.verify()).toMatchObject({ verdict: 'ok', entries: 3 + kept });
    },
  );

  it('keeps the answer to what is durable when heads.log fails, and takes nothing until it can remember it', async () => {
    await append(1);
    // With durability `process` the write-ahead log is settled before heads.log grows: without it no line is written.
    const log = `${scratch.path}-wal`;
    afterCommit = () => {
      afterCommit = () => undefined;
      renameSync(log, `${log}.away`);
      mkdirSync(log);
    };
    const [kept] = await Promise.all([endRun(), expect(append(3)).resolves.toMatchObject({ ok: true })]);
    expect(kept).toMatchObject({ ok: true, entries: [{ seq: 2 }] });
    await expect(append(4)).rejects.toMatchObject({ code: 'audit_unavailable' });
    const lines = () => readFileSync(scratch.headsLog, 'utf8').trimEnd().split('\n');
    expect(lines()).toHaveLength(2);
    rmdirSync(log);
    await appendOnceReady(5);
    expect(lines().map((line) => line.split(' ')[0])).toEqual([expect.any(String), '1', '3']);
    await queue.close();
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok', entries: 5 });
  });

  it('does not hammer the disk: while it waits, appends are refused without an attempt', async () => {
    await append(1);
    fault = 'lost';
    await expect(append(2)).rejects.toMatchObject({ code: 'audit_unavailable' });
    const before = opened;
    const refused = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => append(i)));
    expect(refused.every(({ status }) => status === 'rejected')).toBe(true);
    expect(opened - before).toBeLessThanOrEqual(1);
    fault = 'none';
    await appendOnceReady(9);
  });

  it('tells listeners of entries that turned out to be durable', async () => {
    await append(1);
    const notices: unknown[] = [];
    queue.onCommit((notice) => notices.push(notice));
    fault = 'kept';
    await expect(append(2)).rejects.toMatchObject({ code: 'audit_unavailable' });
    fault = 'none';
    await appendOnceReady(3);
    expect(notices).toEqual([
      { first: 2, last: 2, unheard: true },
      { first: 3, last: 3, unheard: false },
    ]);
  });

  it('does not go on behind what it has acknowledged, where an older copy was put there meanwhile', async () => {
    await append(1);
    await queue.flushHead('idle');
    const reader = openReadOnly(scratch.path);
    await reader.backup(`${scratch.path}.copy`);
    reader.close();
    await append(2);
    fault = 'lost';
    await expect(append(3)).rejects.toMatchObject({ code: 'audit_unavailable' });
    fault = 'none';
    for (const end of ['-wal', '-shm']) rmSync(scratch.path + end, { force: true });
    renameSync(`${scratch.path}.copy`, scratch.path);
    await new Promise((resolve) => {
      setTimeout(resolve, 300);
    });
    await expect(append(4)).rejects.toMatchObject({ code: 'audit_unavailable' });
    await expect(queue.close()).rejects.toMatchObject({ code: 'audit_unavailable' });
  });

  it('stays refused for good when the ledger is gone meanwhile, and puts no fresh one there', async () => {
    await append(1);
    fault = 'lost';
    await expect(append(2)).rejects.toMatchObject({ code: 'audit_unavailable' });
    fault = 'none';
    renameSync(scratch.path, `${scratch.path}.away`);
    for (let i = 0; i < 3; i += 1) {
      await new Promise((resolve) => {
        setTimeout(resolve, 120);
      });
      await expect(append(3)).rejects.toMatchObject({ code: 'audit_unavailable' });
    }
    await expect(queue.close()).rejects.toMatchObject({ code: 'audit_unavailable' });
  });
});

function failingCommit(db: Database, fault: () => Fault, afterCommit: () => void): Database {
  const prepare = db.prepare.bind(db);
  Object.defineProperty(db, 'prepare', {
    value: (sql: string) => {
      const statement = prepare(sql);
      if (sql !== 'COMMIT') return statement;
      const run = statement.run.bind(statement);
      Object.defineProperty(statement, 'run', {
        value: () => {
          if (fault() === 'lost') throw new Error('disk I/O error');
          const result = run();
          afterCommit();
          if (fault() === 'kept') throw new Error('disk I/O error');
          return result;
        },
      });
      return statement;
    },
  });
  return db;
}

describe('commits that prove slow', () => {
  it('move the store to the worker, and nothing that waited is lost', async () => {
    const scratch = new Scratch();
    scratch.create();
    const { path, headsLog } = scratch;
    const store = {
      path,
      headsLog,
      privateKey: SIGNING_KEY,
      sealKeyPath: scratch.sealKey,
      durability: 'process',
      openDatabase: openWriter,
    } as const;
    const made: string[] = [];
    const drivers = {
      create: () => {
        made.push(made.length === 0 ? 'inline' : 'worker');
        return made.length === 1 ? new InlineDriver(store) : new WorkerDriver(store, WORKER_URL);
      },
      place: 'inline' as const,
      shouldMove: () => made.length === 1,
    };
    const queue = new CommitQueue({
      drivers,
      clock: () => (scratch.nowMs += 1),
      salts: new Salts(randomBytes),
      release: () => undefined,
    });
    await queue.open();
    const results = await Promise.all(
      Array.from({ length: 1500 }, (_, i) =>
        queue.append({ entries: [{ type: 'shim_health', ts: i, runId: 'r', data: { i } }] }),
      ),
    );
    expect(results.every((result) => result.ok)).toBe(true);
    expect(made).toEqual(['inline', 'worker']);
    await queue.close();
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok', entries: 1502 });
    scratch.remove();
  });

  it('are noticed by the median of two windows in a row, so that a checkpoint or a burst is not', () => {
    const options = {
      path: '/nowhere/ledger.db',
      sealKeyPath: '/nowhere/seal',
      durability: 'process',
      privateKey: SIGNING_KEY,
    } as const;
    const source = (choice: 'auto' | 'inline') =>
      chooseDriver({ store: { ...options, openDatabase: openWriter }, choice, workerUrl: WORKER_URL });
    const moves = (choice: 'auto' | 'inline', commitMs: (i: number) => number) => {
      const drivers = source(choice);
      return Array.from({ length: 320 }, (_, i) => drivers.shouldMove(commitMs(i))).filter(Boolean).length;
    };
    expect(moves('auto', (i) => (i % 3 === 0 ? 90 : 0.05))).toBe(0);
    expect(moves('auto', () => 2)).toBe(1);
    expect(moves('auto', () => 0.45)).toBe(0);
    expect(moves('auto', (i) => (i % 64 < 32 ? 2 : 0.2))).toBe(0);
    expect(moves('auto', (i) => (i < 256 ? 0.2 : 2))).toBe(1);
    expect(moves('inline', () => 2)).toBe(0);
  });

  it('bring the store back once they are fast for long, later each time', () => {
    const options = {
      path: '/nowhere/ledger.db',
      sealKeyPath: '/nowhere/seal',
      durability: 'process',
      privateKey: SIGNING_KEY,
      openDatabase: openWriter,
    } as const;
    /** The commits, counted from 1, after which the store moves. */
    const moves = (choice: 'auto' | 'worker', commits: number, commitMs: (i: number) => number) => {
      const drivers = chooseDriver({ store: options, choice, workerUrl: WORKER_URL });
      return Array.from({ length: commits }, (_, i) => i + 1).filter((i) => drivers.shouldMove(commitMs(i)));
    };
    const afterBurst = (ms: number) => (i: number) => (i <= 64 ? 2 : ms);
    expect(moves('auto', 1000, afterBurst(0.2))).toEqual([64, 64 + 8 * 32]);
    expect(moves('auto', 1000, afterBurst(0.6))).toEqual([64]);
    // One window that is not fast, and the count begins anew.
    expect(moves('auto', 600, (i) => (i > 160 && i <= 192 ? 0.6 : afterBurst(0.2)(i)))).toEqual([
      64,
      192 + 256,
    ]);
    const again = (i: number) => (i <= 64 || (i > 320 && i <= 384) ? 2 : 0.2);
    expect(moves('auto', 2000, again)).toEqual([64, 320, 384, 384 + 16 * 32]);
    expect(moves('worker', 1000, () => 0.1)).toEqual([]);
  });

  it('move the store to and fro, and nothing that waited is lost', async () => {
    const scratch = new Scratch();
    scratch.create();
    const { path, headsLog } = scratch;
    const store = {
      path,
      headsLog,
      privateKey: SIGNING_KEY,
      sealKeyPath: scratch.sealKey,
      durability: 'process',
      openDatabase: openWriter,
    } as const;
    let made = 0;
    let commits = 0;
    const drivers = {
      create: () => {
        made += 1;
        return made % 2 === 1 ? new InlineDriver(store) : new WorkerDriver(store, WORKER_URL);
      },
      place: 'inline' as const,
      shouldMove: () => (commits += 1) % 6 === 0,
    };
    const queue = new CommitQueue({
      drivers,
      clock: () => (scratch.nowMs += 1),
      salts: new Salts(randomBytes),
      release: () => undefined,
    });
    await queue.open();
    const caller = async (number: number) => {
      for (let i = 0; i < 24; i += 1) {
        const entries = [{ type: 'shim_health' as const, ts: i, runId: `r${number}`, data: { i } }];
        expect(await queue.append({ entries })).toMatchObject({ ok: true });
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_, at) => caller(at)));
    expect(made).toBeGreaterThan(3);
    await queue.close();
    expect(await scratch.verify()).toMatchObject({ verdict: 'ok', entries: 241 });
    scratch.remove();
  }, 60_000);
});
