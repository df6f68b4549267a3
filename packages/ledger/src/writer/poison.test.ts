import type { Database } from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Scratch, SIGNING_KEY } from '../../testing/scratch.js';
import { Salts } from '../entry/salts.js';
import { openReadOnly, openWriter } from '../schema/connection.js';
import { CommitQueue } from './commit-queue.js';
import { StoreDriver } from './store-driver.js';

/**
 * `lost`: COMMIT fails and nothing is written. `kept`: it reports failure although everything was written.
 */
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
    queue = new CommitQueue({
      createDriver: () => new StoreDriver(store),
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
    // With durability `process` the write-ahead log is settled before heads.log grows: without it no line is
    // written.
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
