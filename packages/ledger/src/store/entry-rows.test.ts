import { afterEach, describe, expect, it } from 'vitest';
import SqliteDatabase from 'better-sqlite3';
import { SCHEMA } from '../schema/ddl.js';
import { EntryRows, type EntryRow } from './entry-rows.js';

const leaf = (seq: number): string => seq.toString(16).padStart(64, '0');
const row = (seq: number, ref: number | null = null): EntryRow => ({
  seq,
  ts: 1000 + seq,
  run: 1,
  ref,
  kind: 40,
  code: 0,
  tool: null,
  body: `{"n":${seq}}`,
});

describe('rows of entries on their way into the table', () => {
  const databases: SqliteDatabase.Database[] = [];
  afterEach(() => {
    for (const db of databases.splice(0)) db.close();
  });

  function ledger(): { readonly db: SqliteDatabase.Database; readonly rows: EntryRows } {
    const db = new SqliteDatabase(':memory:');
    databases.push(db);
    for (const text of SCHEMA) db.exec(text);
    db.exec(`INSERT INTO base VALUES(1,1,0,zeroblob(32),x'',0,zeroblob(32))`);
    return { db, rows: new EntryRows(db) };
  }

  const stored = (db: SqliteDatabase.Database): unknown[] =>
    db
      .prepare('SELECT seq, ts, run, ref, kind, code, tool, body, lower(hex(hash)) FROM entry ORDER BY seq')
      .raw()
      .all();

  it('are all written, in their order, however many there are', () => {
    for (const count of [1, 2, 3, 5, 7, 31, 32, 33, 63, 64, 100]) {
      const { db, rows } = ledger();
      for (let seq = 1; seq <= count; seq += 1) rows.add(row(seq, seq === 3 ? 1 : null), leaf(seq));
      rows.flush();
      rows.flush();
      expect(stored(db)).toEqual(
        Array.from({ length: count }, (_, at) => {
          const seq = at + 1;
          return [seq, 1000 + seq, 1, seq === 3 ? 1 : null, 40, 0, null, `{"n":${seq}}`, leaf(seq)];
        }),
      );
    }
  });

  it('are written before somebody looks at one that waits, or for one that refers to another', () => {
    const { db, rows } = ledger();
    const count = (): number => stored(db).length;
    rows.add(row(1), leaf(1));
    rows.flush();
    rows.add(row(2, 1), leaf(2));
    rows.add(row(3), leaf(3));
    rows.flushFor(0);
    expect(count()).toBe(1);
    rows.flushFor(1);
    expect(count()).toBe(3);
    rows.add(row(4), leaf(4));
    rows.flushFor(3);
    expect(count()).toBe(3);
    rows.flushFor(4);
    expect(count()).toBe(4);
  });

  it('are looked at by the triggers one by one', () => {
    const { rows } = ledger();
    rows.add(row(1), leaf(1));
    rows.add(row(3), leaf(3));
    expect(() => rows.flush()).toThrow('append-only');
  });
});
