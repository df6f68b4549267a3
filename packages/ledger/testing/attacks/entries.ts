import type { Database } from 'better-sqlite3';
import { withoutTriggers } from '../scratch.js';
import type { Attack } from './attack.js';
import type { Copy } from './book.js';
import { EDIT_BODY, lie, rehash, rehashOne, relink, shift, sql } from './rewrite.js';

const edit = (change: (db: Database, seq: number) => void) => (copy: Copy, seq: number) =>
  copy.edit((db) => withoutTriggers(db, () => change(db, seq)));

const UNSIGNED_TAIL =
  'what a crash leaves behind the last signed head is as consistent and as unsigned; only heads.log is newer';

/** What is done to the rows of `entry` themselves. */
export const ENTRY_ATTACKS: readonly Attack[] = [
  {
    number: 1,
    name: 'a byte of a body',
    act: sql(EDIT_BODY),
    places: 'rows',
  },
  {
    number: 2,
    name: 'a body with its own hash',
    act: edit((db, seq) => {
      lie(db, seq);
      rehashOne(db, seq);
    }),
    places: 'rows',
  },
  {
    number: 3,
    name: 'a body with the hashes of all after it',
    act: edit((db, seq) => {
      lie(db, seq);
      rehash(db, seq);
    }),
    places: 'rows',
  },
  {
    number: 3,
    name: 'a body with the hashes and the run chains of all after it',
    act: edit((db, seq) => {
      lie(db, seq);
      relink(db, seq);
    }),
    places: 'rows',
  },
  ...(['run', 'ts', 'kind', 'code', 'ref', 'tool'] as const).map((column): Attack => ({
    number: 4,
    name: `the column ${column} alone`,
    act: sql((seq) => `UPDATE entry SET ${column} = ${otherValue(column)} WHERE seq = ${seq}`),
    places: 'rows',
  })),
  {
    number: 5,
    name: 'the column hash alone',
    act: sql((seq) => `UPDATE entry SET hash = CAST(substr(hash, 2) || x'00' AS BLOB) WHERE seq = ${seq}`),
    places: 'rows',
  },
  {
    number: 6,
    name: 'an entry taken out',
    act: sql((seq) => `DELETE FROM entry WHERE seq = ${seq}`),
    places: 'rows',
  },
  {
    number: 7,
    name: 'an entry taken out, the rest renumbered and hashed',
    act: edit((db, seq) => {
      db.prepare('DELETE FROM entry WHERE seq = ?').run(seq);
      shift(db, seq, -1);
      rehash(db, seq);
    }),
    places: 'rows',
  },
  {
    number: 7,
    name: 'an entry taken out, the rest renumbered, hashed and linked',
    act: edit((db, seq) => {
      db.prepare('DELETE FROM entry WHERE seq = ?').run(seq);
      shift(db, seq, -1);
      relink(db, seq);
    }),
    places: 'rows',
  },
  {
    number: 8,
    name: 'the head cut off',
    act: sql((seq) => `DELETE FROM entry WHERE seq <= ${seq}`),
    places: 'rows',
  },
  {
    number: 9,
    name: 'the tail cut off',
    act: sql((seq) => `DELETE FROM entry WHERE seq >= ${seq}`),
    places: 'rows',
  },
  {
    number: 11,
    name: 'everything deleted',
    act: sql('DELETE FROM entry'),
    places: 'whole',
  },
  {
    number: 13,
    name: 'an entry put in between, the rest renumbered and hashed',
    act: edit((db, seq) => {
      insertAt(db, seq);
      rehash(db, seq);
    }),
    places: 'rows',
  },
  {
    number: 13,
    name: 'an entry put in between, the rest renumbered, hashed and linked',
    act: edit((db, seq) => {
      insertAt(db, seq);
      relink(db, seq);
    }),
    places: 'rows',
  },
  {
    number: 14,
    name: 'a forged entry at the end, without a hash',
    act: edit((db) => append(db)),
    places: 'whole',
  },
  {
    number: 14,
    name: 'a forged entry at the end, hashed and linked',
    act: edit((db) => {
      append(db);
      relink(db, newest(db));
    }),
    places: 'whole',
    because: UNSIGNED_TAIL,
  },
  {
    number: 15,
    name: 'an entry repeated',
    act: edit((db, seq) => {
      shift(db, seq + 1, 1);
      copyRow(db, seq, seq + 1);
    }),
    places: 'rows',
  },
  {
    number: 16,
    name: 'two entries swapped',
    act: edit((db, seq) => swap(db, seq, farFrom(db, seq))),
    places: 'rows',
  },
  {
    number: 17,
    name: 'two neighbours of one millisecond in the other order',
    act: edit((db, seq) => {
      const other = seq === newest(db) ? seq - 1 : seq + 1;
      db.exec(`UPDATE entry SET ts = (SELECT ts FROM entry WHERE seq = ${seq}) WHERE seq = ${other}`);
      swap(db, seq, other);
    }),
    places: 'rows',
  },
];

/** The attacks above under one number, counted. */
function otherValue(column: 'run' | 'ts' | 'kind' | 'code' | 'ref' | 'tool'): string {
  switch (column) {
    case 'run':
      return 'CASE run WHEN 1 THEN 5 ELSE 1 END';
    case 'ts':
      return 'ts + 1';
    case 'kind':
      return 'CASE kind WHEN 9 THEN 8 ELSE 9 END';
    case 'code':
      return 'CASE code WHEN 11 THEN 10 ELSE 11 END';
    case 'ref':
      return 'CASE WHEN ref IS NULL THEN max(seq - 1, 0) ELSE NULL END';
    default:
      return 'CASE WHEN tool IS NULL THEN 2 ELSE NULL END';
  }
}

function newest(db: Database): number {
  return db.prepare<[], number>('SELECT max(seq) FROM entry').pluck().get() ?? 0;
}

/** A system entry of an old kind: it fits anywhere. */
function append(db: Database, seq = newest(db) + 1): void {
  const body = `{"code":null,"data":{},"ref":null,"ri":0,"rp":"${'0'.repeat(64)}","run_id":null,"tool":null,"ts":1,"type":"shim_health","v":1}`;
  db.prepare(
    'INSERT INTO entry(seq, ts, run, ref, kind, code, tool, body, hash) VALUES(?, 1, NULL, NULL, 9, 0, NULL, ?, zeroblob(32))',
  ).run(seq, body);
}

function insertAt(db: Database, seq: number): void {
  shift(db, seq, 1);
  append(db, seq);
}

function copyRow(db: Database, from: number, to: number): void {
  db.prepare(
    'INSERT INTO entry SELECT ?, ts, run, NULL, kind, code, tool, body, hash FROM entry WHERE seq = ?',
  ).run(to, from);
}

function farFrom(db: Database, seq: number): number {
  return seq > 1000 ? seq - 600 : seq + 600 + (newest(db) > 0 ? 0 : 1);
}

function swap(db: Database, a: number, b: number): void {
  const refs = db
    .prepare<[number, number], { seq: number; ref: number | null }>(
      'SELECT seq, ref FROM entry WHERE seq IN (?, ?)',
    )
    .all(a, b);
  db.prepare('UPDATE entry SET ref = NULL WHERE seq IN (?, ?)').run(a, b);
  for (const [from, to] of [
    [a, -1],
    [b, a],
    [-1, b],
  ] as const)
    db.prepare('UPDATE entry SET seq = ? WHERE seq = ?').run(to, from);
  for (const { seq, ref } of refs)
    db.prepare('UPDATE entry SET ref = ? WHERE seq = ?').run(ref, seq === a ? b : a);
}
