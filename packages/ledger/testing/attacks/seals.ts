import type { Database } from 'better-sqlite3';
import { createPublicKey } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { Frontier } from '../../src/merkle/frontier.js';
import { keyText, signSeal } from '../../src/seal/record.js';
import { keyFromSeed, withoutTriggers, writeKeyFile } from '../scratch.js';
import type { Attack } from './attack.js';
import { fillRun, type Copy } from './book.js';
import { forge, steal } from './forge.js';
import { appendRow, LEDGER_ID, lie, shift } from './rewrite.js';

const THIEF =
  'whoever holds the keys in force can write on from the newest seal as the gateway itself; only outside memory can tell';

/** What is done to seals, and with keys that were stolen. */
export const SEAL_ATTACKS: readonly Attack[] = [
  {
    number: 10,
    name: 'the tail cut off to the nearest seal, the head signed anew with the stolen keys',
    act: (copy, seq) => {
      const keys = steal(copy);
      copy.edit((db) => {
        const to = sealNear(db, seq - 1);
        withoutTriggers(db, () =>
          db.exec(
            `DELETE FROM entry WHERE seq > ${to}; DELETE FROM seen WHERE seq > ${to}; DELETE FROM blob WHERE seq > ${to}`,
          ),
        );
      });
      forge(copy, Number.MAX_SAFE_INTEGER, keys, dropUnusedNames);
    },
    places: 'rows',
  },
  {
    number: 20,
    name: 'a lie before the newest seal, everything after it signed anew with the stolen keys',
    act: (copy, seq) => forge(copy, seq, steal(copy), (db) => lie(db, seq)),
    places: 'rows',
  },
  {
    number: 20,
    name: 'a lie behind the newest seal, everything after it signed anew with the stolen keys',
    act: async (copy) => {
      const crashed = await copy.crashed((ledger) => fillRun(ledger, 'run-after'));
      crashed.edit((db) => db.pragma('wal_checkpoint(TRUNCATE)'));
      forge(crashed, newest(crashed) - 100, steal(crashed), (db) => lie(db, newestIn(db) - 100));
      return crashed;
    },
    places: 'whole',
    because: THIEF,
  },
  {
    number: 21,
    name: 'a seal signed again with a later key',
    act: (copy, seq) => {
      const { seal } = steal(copy);
      copy.edit((db) => withoutTriggers(db, () => resealOne(db, sealNear(db, seq), seal)));
    },
    places: 'rows',
  },
  {
    number: 21,
    name: 'a seal signed again with a later key, everything after it signed anew',
    act: (copy, seq) => {
      const keys = steal(copy);
      let at = 0;
      copy.edit((db) => (at = sealNear(db, seq)));
      forge(copy, at, keys, () => undefined);
    },
    places: 'rows',
  },
  {
    number: 22,
    name: 'a seal taken out, everything after it signed anew',
    act: (copy, seq) => {
      const keys = steal(copy);
      let at = 0;
      copy.edit((db) => (at = sealNear(db, seq)));
      forge(copy, at, keys, (db) => {
        db.exec(`DELETE FROM entry WHERE seq = ${at}`);
        shift(db, at, -1);
      });
    },
    places: 'rows',
  },
  ...(
    [
      ['that skips a number', { n: 2, size: 0, root: true }, 22],
      ['that repeats a number', { n: 0, size: 0, root: true }, 22],
      ['of the size of the one before', { n: 1, size: -1, root: true }, 23],
      ['of a smaller size', { n: 1, size: -100, root: true }, 23],
      ['of a larger size', { n: 1, size: 1, root: true }, 23],
      ['with another root', { n: 1, size: 0, root: false }, 23],
    ] as const
  ).map(([name, { n, size, root }, number]): Attack => ({
    number,
    name: `one more seal, by the stolen key, ${name}`,
    act: (copy) => addSeal(copy, n, size, root),
    places: 'whole',
  })),
  {
    number: 23,
    name: 'one more seal by the stolen key, right in every way',
    act: (copy) => addSeal(copy, 1, 0, true),
    places: 'whole',
    because: THIEF,
  },
  {
    number: 24,
    name: 'every seal taken out, the head signed anew with the stolen keys',
    act: (copy) => forge(copy, 1, steal(copy), dropSeals),
    places: 'whole',
  },
  {
    number: 24,
    name: 'every seal and the head taken out',
    act: (copy) =>
      copy.edit((db) =>
        withoutTriggers(db, () => {
          dropSeals(db);
          db.exec('DELETE FROM head');
        }),
      ),
    places: 'whole',
  },
  {
    number: 51,
    name: 'an older database under the present keys',
    act: (copy, _, book) => replaceDatabase(copy, book.older),
    places: 'whole',
  },
  {
    number: 51,
    name: 'the key in force replaced',
    act: (copy) => forgeKeyFile(copy),
    places: 'whole',
  },
];

function newest(copy: Copy): number {
  let seq = 0;
  copy.edit((db) => (seq = newestIn(db)));
  return seq;
}

function newestIn(db: Database): number {
  return db.prepare<[], number>('SELECT max(seq) FROM entry').pluck().get() ?? 0;
}

/** The seal at or before `seq`, or the first one. */
export function sealNear(db: Database, seq: number): number {
  const find = (text: string): number | null | undefined =>
    db.prepare<[number], number | null>(text).pluck().get(seq);
  return (
    find('SELECT max(seq) FROM entry WHERE kind = 50 AND seq <= ?') ??
    find('SELECT min(seq) FROM entry WHERE kind = 50 AND seq > ?') ??
    0
  );
}

/** Names that only entries used which are gone. */
function dropUnusedNames(db: Database): void {
  db.exec('DELETE FROM dict WHERE id > (SELECT max(max(run), max(coalesce(tool, 0))) FROM entry)');
}

function dropSeals(db: Database): void {
  const seals = db
    .prepare<[], number>('SELECT seq FROM entry WHERE kind = 50 ORDER BY seq DESC')
    .pluck()
    .all();
  for (const seq of seals) {
    db.exec(`DELETE FROM entry WHERE seq = ${seq}`);
    shift(db, seq, -1);
  }
}

function resealOne(db: Database, seq: number, key: Parameters<typeof signSeal>[2]): void {
  const body = db.prepare<[number], string>('SELECT body FROM entry WHERE seq = ?').pluck().get(seq) ?? '';
  const { data } = JSON.parse(body) as { data: { n: number; size: number; root: string; next_key: string } };
  const signed = signSeal(
    LEDGER_ID,
    { n: data.n, size: data.size, root: data.root, nextKey: data.next_key },
    key,
  );
  db.prepare('UPDATE entry SET body = ? WHERE seq = ?').run(
    `{"code":null,"data":${signed}${body.slice(body.lastIndexOf(',"ref":'))}`,
    seq,
  );
}

/** Appends a seal whose number and size are off by so much; signed by the key that is due. */
function addSeal(copy: Copy, n: number, size: number, isRoot: boolean): void {
  const keys = steal(copy);
  const next = keyFromSeed(77);
  forge(
    copy,
    Number.MAX_SAFE_INTEGER,
    keys,
    (db) => {
      const before = newestIn(db);
      const count = db.prepare<[], number>('SELECT count(*) FROM entry WHERE kind = 50').pluck().get() ?? 0;
      const frontier = new Frontier();
      for (const hash of db.prepare<[], Buffer>('SELECT hash FROM entry ORDER BY seq').pluck().all())
        frontier.push(hash.toString('hex'));
      const data = signSeal(
        LEDGER_ID,
        {
          n: count + n,
          size: before + size,
          root: isRoot
            ? Buffer.from(frontier.root(), 'hex').toString('base64')
            : Buffer.alloc(32, 1).toString('base64'),
          nextKey: keyText(createPublicKey(next)),
        },
        keys.seal,
      );
      appendRow(db, { kind: 50, type: 'seal', data });
    },
    next,
  );
}

function replaceDatabase(copy: Copy, older: Copy): void {
  copyFileSync(older.path, copy.path);
}

function forgeKeyFile(copy: Copy): void {
  writeKeyFile(copy.sealKey, keyFromSeed(78));
}
