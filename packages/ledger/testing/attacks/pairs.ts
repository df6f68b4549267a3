import type { Database } from 'better-sqlite3';
import { verifyLedger, type EntryInput } from '../../src/index.js';
import { runStart, withoutTriggers } from '../scratch.js';
import type { Attack } from './attack.js';
import { fillRun, type Copy } from './book.js';
import { lie, relink } from './rewrite.js';

type Change = (db: Database, end: number) => number | null;

/** How many are written while the ledger is verified again and again. */
const LIVE_RUNS = process.env['SUB_LONG'] === undefined ? 1 : 8;

/** What is done to what belongs together, and what only looks like an attack. */
export const PAIR_ATTACKS: readonly Attack[] = [
  ...(
    [
      ['a result of nothing', () => null],
      ['a second result of a call', (db, end) => refOf(db, near(db, end - 1, 'kind = 4'))],
      ['a result that reports on another result', (db, end) => near(db, end - 1, 'kind = 4')],
      ['a result of a call that was only asked for', (db, end) => refOf(db, refOf(db, end))],
      ['a result of a call that comes later', (_, end) => end + 1],
      ['a result of itself', (_, end) => end],
      ['a result of an action as that of a call', (db, end) => near(db, end, 'kind = 20')],
      ['a result of a call of another run', (db, end) => foreignDecision(db, end)],
    ] as readonly (readonly [string, Change])[]
  ).map(([name, target]): Attack => ({
    number: 55,
    name: `${name}, hashed and linked anew`,
    act: (copy, seq) => repoint(copy, seq, target),
    places: 'rows',
  })),
  {
    number: 55,
    name: 'a pending entry backdated, hashed and linked anew',
    act: (copy, seq) =>
      copy.edit((db) =>
        withoutTriggers(db, () => {
          const pending = near(db, seq, 'kind = 3');
          lie(db, pending);
          relink(db, pending);
        }),
      ),
    places: 'rows',
  },
  {
    number: 56,
    name: 'the result that says that an action was cut off, taken out again',
    act: async (copy) => {
      const crashed = await copy.crashed((ledger) => fillRun(ledger, 'run-cut'));
      crashed.edit((db) => {
        db.pragma('wal_checkpoint(TRUNCATE)');
        withoutTriggers(db, () => {
          const result = near(db, Number.MAX_SAFE_INTEGER, 'kind = 21');
          db.exec(`DELETE FROM entry WHERE seq >= ${result}`);
        });
      });
      return crashed;
    },
    places: 'whole',
  },
  {
    number: 57,
    name: 'two writers at once: the one that was overtaken notices and writes nothing',
    act: async (copy) => {
      const first = await copy.open();
      const second = await copy.open();
      await fillRun(second, 'second');
      await first.append({ entries: [start('first')] }).then(
        () => Promise.reject(new Error('the overtaken writer was believed')),
        () => undefined,
      );
      await second.close();
      await Promise.allSettled([first.close()]);
    },
    places: 'whole',
    because:
      'no entry was lost and none is false: without its memory an untouched ledger is unproven as well',
  },
  {
    number: 58,
    name: 'verification while a writer writes: never a false alarm',
    act: async (copy) => {
      const ledger = await copy.open();
      const work = { over: false };
      const writer = (async () => {
        for (let run = 0; run < LIVE_RUNS; run += 1) await fillRun(ledger, `live-${run}`);
        work.over = true;
      })();
      while (!work.over) {
        const { finding } = await verifyLedger(copy.path, {
          headsLog: copy.headsLog,
          sealKeyPath: copy.sealKey,
          live: true,
        });
        if (finding !== null) throw new Error(JSON.stringify(finding));
      }
      await writer;
      await ledger.close();
    },
    places: 'whole',
    because: 'nothing was attacked',
  },
  {
    number: 59,
    name: 'a clock that jumps by a year, forth and back, across a start',
    act: async (copy) => {
      const year = 31_557_600_000;
      for (const by of [year, -year]) {
        let now = 1_770_000_000_000;
        const ledger = await copy.open({ clock: () => (now += now > 1_770_000_000_000 ? -by : by) });
        await fillRun(ledger, `clock${by}`);
        await ledger.close();
      }
    },
    places: 'whole',
    because: 'nothing was attacked',
  },
];

function start(runId: string): EntryInput {
  return runStart(runId);
}

/** The newest entry at or before `seq` of which that holds, or the first one behind it. */
function near(db: Database, seq: number, where: string): number {
  const find = (text: string): number | null | undefined =>
    db
      .prepare<[number], number | null>(text)
      .pluck()
      .get(Math.min(seq, 2 ** 50));
  return (
    find(`SELECT max(seq) FROM entry WHERE seq <= ? AND ${where}`) ??
    find(`SELECT min(seq) FROM entry WHERE seq > ? AND ${where}`) ??
    0
  );
}

function refOf(db: Database, seq: number): number {
  return db.prepare<[number], number | null>('SELECT ref FROM entry WHERE seq = ?').pluck().get(seq) ?? 0;
}

function foreignDecision(db: Database, end: number): number {
  const run = db.prepare<[number], number>('SELECT run FROM entry WHERE seq = ?').pluck().get(end) ?? 0;
  return near(db, end, `kind = 3 AND run <> ${run}`);
}

/**
 * Makes the result nearest to `seq` refer elsewhere, in column and body, with every hash after it made to
 * fit.
 */
function repoint(copy: Copy, seq: number, target: Change): void {
  copy.edit((db) => {
    const index =
      db.prepare<[], string>("SELECT sql FROM sqlite_schema WHERE name = 'e_ref'").pluck().get() ?? '';
    withoutTriggers(db, () => {
      db.exec('DROP INDEX e_ref');
      // Late enough that something of each kind lies before it.
      const before = db.prepare<[], number>('SELECT seq FROM base').pluck().get() ?? 0;
      const end = near(db, Math.max(seq, before + 400), 'kind = 4');
      const ref = target(db, end);
      const body =
        db.prepare<[number], string>('SELECT body FROM entry WHERE seq = ?').pluck().get(end) ?? '';
      const at = body.lastIndexOf(',"ref":');
      db.prepare('UPDATE entry SET ref = ?, body = ? WHERE seq = ?').run(
        ref,
        body.slice(0, at) + body.slice(at).replace(/^,"ref":[0-9]+/, `,"ref":${ref}`),
        end,
      );
      relink(db, end);
      db.exec(index);
    });
  });
}
