import * as fc from 'fast-check';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  attack,
  beginCall,
  endCall,
  fillRuns,
  Scratch,
  VERIFY_WORKER_URL,
  withoutTriggers,
} from '../../testing/scratch.js';
import { verifyLedger, type VerifyOptions, type VerifyReport } from '../index.js';
import { OneThread, Threads } from './threading.js';
import { verifyWith } from './verify.js';

const CALLS = 900;

describe('a verification in several threads', () => {
  let scratch: Scratch;
  beforeAll(async () => {
    scratch = await new Scratch().fill(async (ledger) => {
      await fillRuns(ledger);
      for (let from = 0; from < CALLS; from += 100) {
        const ids = Array.from({ length: 100 }, (_, at) => `call-${from + at}`);
        const begun = await Promise.all(ids.map((id) => ledger.append(beginCall(`ünï-${from}`, id))));
        await Promise.all(
          begun.map((one, at) => {
            const ref = one.ok ? (one.entries[1]?.seq ?? 0) : 0;
            return ledger.append({ entries: [endCall(`ünï-${from}`, ids[at] ?? '', ref)] });
          }),
        );
      }
      // What invalid UTF-8 decodes to as well: its page is read again as bytes.
      await ledger.append({
        entries: [{ type: 'shim_health', ts: 1, runId: null, data: { text: 'a \uFFFD b' } }],
      });
      await fillMore(ledger);
    });
  });
  afterAll(() => scratch.remove());

  const inThreads = async (
    path: string,
    options: VerifyOptions = {},
  ): Promise<VerifyReport & { threaded: boolean }> => {
    const threads = new Threads(VERIFY_WORKER_URL, 1);
    const report = await verifyWith(threads, path, { headsLog: scratch.headsLog, ...options });
    return { ...report, threaded: threads.areThreads };
  };
  const alone = (path: string): Promise<VerifyReport> =>
    verifyWith(new OneThread(), path, { headsLog: scratch.headsLog });

  it('reports what one thread reports', async () => {
    const report = await alone(scratch.path);
    expect(report.verdict).toBe('ok');
    expect(report.entries).toBeGreaterThan(2 * 16 * 64);
    expect(await inThreads(scratch.path)).toEqual({ ...report, threaded: true });
  });

  it('never passes an entry that was changed, and the verdict names it as one thread does', async () => {
    let copies = 0;
    const size = (await alone(scratch.path)).entries;
    const column = fc.constantFrom('seq', 'ts', 'run', 'ref', 'kind', 'code', 'tool', 'body', 'hash');
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: size }), column, fc.nat(), async (seq, field, offset) => {
        const copy = scratch.copy(`changed-${(copies += 1) % 4}.db`);
        if (!change(copy, seq, field, offset)) return;
        const expected = await alone(copy);
        expect(expected.verdict, `${field} of ${seq}`).toBe('tampered');
        const verdicts = ['tampered', 'unchecked'];
        expect(verdicts, `${field} of ${seq}`).toContain((await inThreads(copy)).verdict);
        const { headsLog } = scratch;
        const options = { headsLog, threads: 2, workerUrl: VERIFY_WORKER_URL } as const;
        expect(await verifyLedger(copy, options)).toEqual(expected);
      }),
      { numRuns: process.env['SUB_LONG'] === '1' ? 200 : 4 },
    );
  });

  it('does not take text behind a body for columns', async () => {
    const copy = scratch.copy('behind.db');
    attack(copy, (db) =>
      withoutTriggers(db, () => {
        const body = db.prepare<[], string>('SELECT body FROM entry WHERE seq = 70').pluck().get() ?? '';
        const columns = `3,1,1,1\u001fnull\u001f1760000000100`;
        db.prepare('UPDATE entry SET body = ? WHERE seq = 70').run(`${body}\u001f${columns}`);
      }),
    );
    expect(await inThreads(copy)).toMatchObject({
      verdict: 'tampered',
      finding: { seq: 70, class: 'hash' },
    });
  });

  it('does not take a longer hash for a body', async () => {
    const copy = scratch.copy('longer.db');
    attack(copy, (db) => {
      db.pragma('ignore_check_constraints=ON');
      withoutTriggers(db, () =>
        db.exec(`UPDATE entry SET hash = CAST(hash || x'0a7b7d' AS BLOB) WHERE seq = 71`),
      );
    });
    expect(await inThreads(copy)).toMatchObject({ verdict: 'tampered', finding: { seq: 71 } });
  });

  it('finds an index that hides rows, in its own thread', async () => {
    const copy = scratch.copy('index.db');
    attack(copy, (db) => {
      db.pragma('writable_schema=ON');
      const at = `UPDATE sqlite_schema SET sql = 'CREATE INDEX e_ts ON entry(ts)`;
      db.exec(`${at} WHERE seq<>5' WHERE name = 'e_ts'`);
      db.pragma('writable_schema=RESET');
      db.exec('REINDEX e_ts');
      db.pragma('writable_schema=ON');
      db.exec(`${at}' WHERE name = 'e_ts'`);
    });
    expect(await inThreads(copy)).toMatchObject({ verdict: 'tampered', finding: { class: 'page' } });
  });

  it('works while a writer adds to the ledger', async () => {
    const live = await new Scratch().fill(fillRuns);
    const ledger = await live.open();
    const stop = new AbortController();
    const writing = (async () => {
      for (let call = 0; !stop.signal.aborted; call += 1)
        await ledger.append(beginCall('live', `live-${call}`));
    })();
    await expect.poll(() => ledger.head().seq).toBeGreaterThan(300);
    const found: unknown[] = [];
    for (let round = 0; round < 4; round += 1) {
      const threads = new Threads(VERIFY_WORKER_URL, 1);
      const report = await verifyWith(threads, live.path, { headsLog: live.headsLog, live: true });
      found.push(report.finding ?? report.verdict);
    }
    stop.abort();
    await writing;
    await ledger.close();
    live.remove();
    expect(new Set(found)).toEqual(new Set(['ok']));
  });

  it('ends where it is told to, with exit 1', async () => {
    const controller = new AbortController();
    const progress: number[] = [];
    const report = await verifyLedger(scratch.path, {
      headsLog: scratch.headsLog,
      threads: 2,
      workerUrl: VERIFY_WORKER_URL,
      signal: controller.signal,
      onProgress: (checked) => {
        progress.push(checked);
        controller.abort();
      },
    });
    expect(report).toMatchObject({ verdict: 'unchecked', exit: 1, finding: null });
    expect(progress).toHaveLength(1);
  });

  it('goes on in one thread where no other can be started', async () => {
    const workerUrl = pathToFileURL('/nowhere/verify-worker-main.js');
    const { headsLog } = scratch;
    const report = await verifyLedger(scratch.path, { headsLog, threads: 2, workerUrl });
    expect(report).toEqual(await alone(scratch.path));
  });
});

/** Entries enough for pages of several messages. */
async function fillMore(ledger: Parameters<typeof fillRuns>[0]): Promise<void> {
  await Promise.all(
    Array.from({ length: 1000 }, (_, at) =>
      ledger.append({ entries: [{ type: 'shim_health', ts: at, runId: 'more', data: { at } }] }),
    ),
  );
}

/** Changes one bit of one value of an entry, or a number by one; false for a NULL. */
function change(path: string, seq: number, field: string, offset: number): boolean {
  let changed = false;
  attack(path, (db) => {
    db.pragma('ignore_check_constraints=ON');
    withoutTriggers(db, () => {
      const value = db.prepare<[number]>(`SELECT ${field} FROM entry WHERE seq = ?`).pluck().get(seq);
      const set = (text: string, bound: unknown): void => {
        db.prepare(`UPDATE OR REPLACE entry SET ${field} = ${text} WHERE seq = ?`).run(bound, seq);
        changed = true;
      };
      if (typeof value === 'number') set('?', value + 1);
      else if (typeof value === 'string' || value instanceof Uint8Array) {
        const bytes = Buffer.from(value);
        const at = offset % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ (1 << (offset % 7));
        set(typeof value === 'string' ? 'CAST(? AS TEXT)' : '?', bytes);
      }
    });
  });
  return changed;
}
