import type { Database } from 'better-sqlite3';
import { readFileSync, writeFileSync } from 'node:fs';
import { withoutTriggers } from '../scratch.js';
import type { Attack } from './attack.js';
import type { Copy } from './book.js';
import { rehash, sql } from './rewrite.js';

const edit = (change: (db: Database, seq: number) => void) => (copy: Copy, seq: number) =>
  copy.edit((db) => withoutTriggers(db, () => change(db, seq)));

/** What is done below the rows: schema, triggers, indexes, types, names, blobs. */
export const STORAGE_ATTACKS: readonly Attack[] = [
  ...(['INSERT OR REPLACE', 'REPLACE', 'upsert', 'UPDATE OR REPLACE', 'UPDATE', 'DELETE'] as const).map(
    (verb): Attack => ({
      number: 28,
      name: `${verb} by a connection of one's own: the triggers refuse it, and nothing is changed`,
      act: (copy, seq) => copy.edit((db) => refused(() => db.exec(statement(verb, seq)))),
      places: 'rows',
      because: 'nothing was changed: without its memory an untouched ledger is unproven as well',
    }),
  ),
  {
    number: 29,
    name: 'a trigger dropped, an entry edited',
    act: (copy, seq) =>
      copy.edit((db) => {
        db.exec('DROP TRIGGER entry_update');
        db.exec(`UPDATE entry SET ts = ts + 1 WHERE seq = ${seq}`);
      }),
    places: 'rows',
  },
  {
    number: 29,
    name: 'a trigger dropped, an entry edited, the trigger put back',
    act: sql((seq) => `UPDATE entry SET ts = ts + 1 WHERE seq = ${seq}`),
    places: 'rows',
  },
  {
    number: 30,
    name: 'a filtering view in place of the table',
    act: (copy, seq) =>
      copy.edit((db) =>
        db.exec(
          `ALTER TABLE entry RENAME TO hidden; CREATE VIEW entry AS SELECT * FROM hidden WHERE seq <> ${seq}`,
        ),
      ),
    places: 'rows',
  },
  ...['e_run'].map((index): Attack => ({
    number: 31,
    name: `the index ${index} rebuilt to hide an entry, its text restored`,
    act: edit((db, seq) => hideFrom(db, index, `seq <> ${seq}`)),
    places: 'rows',
  })),
  {
    number: 32,
    name: 'an index with an entry that is no more',
    act: edit((db, seq) => {
      const run = db.prepare<[number], number | null>('SELECT run FROM entry WHERE seq = ?').pluck().get(seq);
      const index = schemaRow(db, 'e_run');
      // Built over another run, and out of the schema while the row gets its own back.
      db.exec(`UPDATE entry SET run = ${(run ?? 0) + 1} WHERE seq = ${seq}; REINDEX e_run`);
      const page = schemaRow(db, 'e_run').rootpage;
      db.pragma('writable_schema=ON');
      db.exec("DELETE FROM sqlite_schema WHERE name = 'e_run'");
      db.pragma('writable_schema=RESET');
      db.exec(`UPDATE entry SET run = ${run ?? 'NULL'} WHERE seq = ${seq}`);
      db.pragma('writable_schema=ON');
      db.prepare("INSERT INTO sqlite_schema VALUES('index', 'e_run', 'entry', ?, ?)").run(page, index.sql);
      db.pragma('writable_schema=RESET');
    }),
    places: 'rows',
  },
  {
    number: 32,
    name: 'a cell taken out of a page of an index',
    act: (copy) => {
      let page = 0;
      copy.edit((db) => {
        page = leafPageOf(db, 'e_run');
      });
      const bytes = readFileSync(copy.path);
      const at = (page - 1) * bytes.readUInt16BE(16);
      bytes.writeUInt16BE(bytes.readUInt16BE(at + 3) - 1, at + 3);
      writeFileSync(copy.path, bytes);
    },
    places: 'whole',
  },
  {
    number: 33,
    name: 'STRICT taken off',
    act: (copy) => copy.edit((db) => retext(db, 'entry', (text) => text.replace(') STRICT', ')'))),
    places: 'whole',
  },
  {
    number: 33,
    name: 'STRICT taken off, a number stored as text, STRICT put back',
    act: (copy, seq) =>
      copy.edit((db) =>
        juggle(db, 'ts INTEGER', 'ts BLOB', `UPDATE entry SET ts = CAST(ts AS TEXT) WHERE seq = ${seq}`),
      ),
    places: 'rows',
  },
  {
    number: 33,
    name: 'STRICT taken off, a body stored as bytes, STRICT put back',
    act: (copy, seq) =>
      copy.edit((db) =>
        juggle(db, 'body TEXT', 'body BLOB', `UPDATE entry SET body = CAST(body AS BLOB) WHERE seq = ${seq}`),
      ),
    places: 'rows',
  },
  ...(
    [
      ['a NUL and more', "char(0) || 'x'"],
      ['a NUL', 'char(0)'],
      ['a space', "' '"],
      ['a line feed', 'char(10)'],
      ['the separators of the page query', 'char(31) || char(30)'],
    ] as const
  ).map(([name, text]): Attack => ({
    number: 34,
    name: `${name} behind a body`,
    act: sql((seq) => `UPDATE entry SET body = body || ${text} WHERE seq = ${seq}`),
    places: 'rows',
  })),
  {
    number: 35,
    name: 'bytes that are no UTF-8 in a body',
    act: sql(
      (seq) =>
        `UPDATE entry SET body = CAST(CAST(substr(body, 1, 10) AS BLOB) || x'ff' || CAST(substr(body, 11) AS BLOB) AS TEXT) WHERE seq = ${seq}`,
    ),
    places: 'rows',
  },
  ...(
    [
      ['a key twice', `replace(body, ',"type":', ',"ts":0,"type":')`],
      ['1.0 for 1', `replace(body, ',"v":1}', ',"v":1.0}')`],
      ['1e0 for 1', `replace(body, ',"v":1}', ',"v":1e0}')`],
      ['a minus zero', `replace(body, '"ri":0,', '"ri":-0,')||''`],
      ['a number over 2^53', `replace(body, ',"v":1}', ',"v":9007199254740993}')`],
      ['another order of keys', `replace(body, '{"code":', '{"v":1,"code":')`],
      ['white space', `replace(body, ',"type"', ', "type"')`],
    ] as const
  ).flatMap(([name, text]): Attack[] =>
    name === 'a minus zero'
      ? [
          {
            number: 36,
            name: `${name}, hashed anew`,
            act: edit((db) => {
              db.exec(`UPDATE entry SET body = ${text} WHERE seq = 1`);
              rehash(db, 1);
            }),
            places: 'whole',
          },
        ]
      : [
          {
            number: 36,
            name,
            act: sql((seq) => `UPDATE entry SET body = ${text} WHERE seq = ${seq}`),
            places: 'rows',
          },
          {
            number: 36,
            name: `${name}, hashed anew`,
            act: edit((db, seq) => {
              db.exec(`UPDATE entry SET body = ${text} WHERE seq = ${seq}`);
              rehash(db, seq);
            }),
            places: 'rows',
          },
        ],
  ),
  {
    number: 37,
    name: 'a body of another version, hashed anew',
    act: edit((db, seq) => {
      db.exec(`UPDATE entry SET body = replace(body, ',"v":1}', ',"v":0}') WHERE seq = ${seq}`);
      rehash(db, seq);
    }),
    places: 'rows',
  },
  {
    number: 37,
    name: 'a genesis record of an older version',
    act: sql(`UPDATE genesis SET record = replace(record, '"v":2', '"v":1')`),
    places: 'whole',
  },
  {
    number: 38,
    name: 'a tile of the tree edited',
    act: sql((seq) => `UPDATE tile SET hash = zeroblob(32) WHERE lvl = 1 AND idx = ${tileOf(seq)}`),
    places: 'rows',
  },
  {
    number: 38,
    name: 'a tile of the tree taken out',
    act: sql((seq) => `DELETE FROM tile WHERE lvl = 1 AND idx = ${tileOf(seq)}`),
    places: 'rows',
  },
  {
    number: 38,
    name: 'a tile of entries that are not there',
    act: sql('INSERT INTO tile VALUES(1, 9999, zeroblob(32))'),
    places: 'whole',
  },
  {
    number: 39,
    name: 'the name of a run changed',
    act: edit((db, seq) => {
      const run =
        db.prepare<[number], number | null>('SELECT run FROM entry WHERE seq = ?').pluck().get(seq) ?? 1;
      db.exec(`UPDATE dict SET name = '"run-x"' WHERE id = ${run}`);
    }),
    places: 'rows',
  },
  {
    number: 39,
    name: 'the name of a tool changed',
    act: sql(`UPDATE dict SET name = '["files","write"]' WHERE name = '["files","read"]'`),
    places: 'whole',
  },
  {
    number: 39,
    name: 'a name that nothing uses',
    act: sql(`INSERT INTO dict SELECT max(id) + 1, 1, '"ghost"' FROM dict`),
    places: 'whole',
  },
  ...(
    [
      ['content', "UPDATE blob SET data = CAST('{}' AS BLOB)", 'blob'],
      [
        'content of the same length',
        "UPDATE blob SET data = CAST(substr(data, 1, length(data) - 1) || x'20' AS BLOB)",
        'blob',
      ],
      ['content that is longer', "UPDATE blob SET data = CAST(data || x'20' AS BLOB)", 'blob'],
      ['salt', 'UPDATE blob SET salt = zeroblob(16)', 'blob'],
    ] as const
  ).map(([name, text]): Attack => ({
    number: 40,
    name: `a preview with other ${name}`,
    act: edit((db, seq) => db.exec(`${text} WHERE seq = ${blobNear(db, seq)}`)),
    places: 'rows',
  })),
  {
    number: 40,
    name: 'two previews swapped',
    act: edit((db, seq) => {
      const here = blobNear(db, seq);
      const near = blobNear(db, here - 1 > 3 ? here - 3 : here + 3);
      const other = near === here ? blobNear(db, here + 20) : near;
      db.exec(
        `UPDATE blob SET id = -id WHERE seq = ${here}; UPDATE blob SET id = id + 64 * (${here} - ${other}) WHERE seq = ${other};
        UPDATE blob SET id = -id + 64 * (${other} - ${here}) WHERE id < 0`,
      );
    }),
    places: 'rows',
  },
  {
    number: 40,
    name: 'a preview taken out, without a word',
    act: edit((db, seq) => db.exec(`DELETE FROM blob WHERE seq = ${blobNear(db, seq)}`)),
    places: 'rows',
  },
];

/** The entry at or before `seq`, or the first behind it, that has a preview. */
function blobNear(db: Database, seq: number): number {
  const find = (text: string): number | null | undefined =>
    db.prepare<[number], number | null>(text).pluck().get(seq);
  return (
    find('SELECT max(seq) FROM blob WHERE seq <= ?') ?? find('SELECT min(seq) FROM blob WHERE seq > ?') ?? 0
  );
}

function tileOf(seq: number): number {
  return Math.max(0, Math.floor(seq / 256) - 1);
}

function refused(change: () => void): void {
  let failed = false;
  try {
    change();
  } catch {
    failed = true;
  }
  if (!failed) throw new Error('no trigger refused it');
}

function statement(verb: string, seq: number): string {
  const values = `SELECT seq, ts, run, ref, kind, code, tool, 'x', hash FROM entry WHERE seq = ${seq}`;
  switch (verb) {
    case 'upsert':
      return `INSERT INTO entry ${values} AND true ON CONFLICT(seq) DO UPDATE SET body = 'x'`;
    case 'UPDATE OR REPLACE':
      return `UPDATE OR REPLACE entry SET body = 'x' WHERE seq = ${seq}`;
    case 'UPDATE':
      return `UPDATE entry SET body = 'x' WHERE seq = ${seq}`;
    case 'DELETE':
      return `DELETE FROM entry WHERE seq = ${seq}`;
    default:
      return `${verb} INTO entry ${values}`;
  }
}

function hideFrom(db: Database, index: string, where: string): void {
  const text =
    db.prepare<[string], string>('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(index) ?? '';
  db.exec(`DROP INDEX ${index}`);
  db.exec(`${text} WHERE ${where}`);
  retext(db, index, () => text);
}

function retext(db: Database, name: string, change: (text: string) => string): void {
  const text =
    db.prepare<[string], string>('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(name) ?? '';
  db.pragma('writable_schema=ON');
  db.prepare('UPDATE sqlite_schema SET sql = ? WHERE name = ?').run(change(text), name);
  db.pragma('writable_schema=RESET');
}

/** Stores what STRICT would refuse, while it is away. */
function juggle(db: Database, from: string, to: string, change: string): void {
  const text =
    db.prepare<[], string>("SELECT sql FROM sqlite_schema WHERE name = 'entry'").pluck().get() ?? '';
  retext(db, 'entry', () => text.replace(from, to).replace(') STRICT', ')'));
  withoutTriggers(db, () => db.exec(change));
  retext(db, 'entry', () => text);
}

function leafPageOf(db: Database, index: string): number {
  const page = db
    .prepare<[string], number>(
      "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno LIMIT 1",
    )
    .pluck()
    .get(index);
  if (page === undefined) throw new Error(`${index} has no leaf page`);
  return page;
}

function schemaRow(db: Database, name: string): { readonly sql: string; readonly rootpage: number } {
  const row = db
    .prepare<[string], { sql: string; rootpage: number }>(
      'SELECT sql, rootpage FROM sqlite_schema WHERE name = ?',
    )
    .get(name);
  if (row === undefined) throw new Error(`there is no ${name}`);
  return row;
}
