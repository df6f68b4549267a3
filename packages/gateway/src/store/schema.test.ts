import SqliteDatabase, { type Database } from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { openSchema, type SchemaStep } from './schema.js';

const WING = 'CREATE TABLE wing(id INTEGER PRIMARY KEY) STRICT;';
const STEPS: readonly SchemaStep[] = [
  { from: 1, sql: 'ALTER TABLE live_run ADD COLUMN since_ms INTEGER' },
  { from: 2, sql: 'CREATE TABLE later(id INTEGER PRIMARY KEY) STRICT' },
];

function versionOf(db: Database): unknown {
  return db.pragma('user_version', { simple: true });
}

function tablesOf(db: Database): string[] {
  return db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all();
}

describe('the schema of gateway.db', () => {
  test('is version 5 in a new file, with the tables of core and wings', () => {
    const db = new SqliteDatabase(':memory:');
    openSchema(db, 'x', [WING]);
    expect(versionOf(db)).toBe(5);
    expect(db.pragma('application_id', { simple: true })).toBe(0x53756247);
    expect(tablesOf(db)).toEqual(expect.arrayContaining(['identity', 'live_run', 'policy', 'wing']));
  });

  test('is left alone where it is of this version', () => {
    const db = new SqliteDatabase(':memory:');
    openSchema(db, 'x', [WING]);
    db.exec("INSERT INTO live_run VALUES('a')");
    openSchema(db, 'x', [WING]);
    expect(db.prepare('SELECT id FROM live_run').pluck().all()).toEqual(['a']);
  });

  test('goes forward step by step, and keeps what is there', () => {
    const db = new SqliteDatabase(':memory:');
    openSchema(db, 'x', [], []);
    db.exec("INSERT INTO live_run VALUES('a')");
    openSchema(db, 'x', [], STEPS.slice(0, 1));
    expect(versionOf(db)).toBe(2);
    openSchema(db, 'x', [], STEPS);
    expect([versionOf(db), db.prepare('SELECT id, since_ms FROM live_run').all()]).toEqual([
      3,
      [{ id: 'a', since_ms: null }],
    ]);
    expect(tablesOf(db)).toContain('later');
  });

  test('of a new file is the one that the steps lead to', () => {
    const [stepped, fresh] = [new SqliteDatabase(':memory:'), new SqliteDatabase(':memory:')];
    openSchema(stepped, 'x', [], []);
    openSchema(stepped, 'x', [], STEPS);
    openSchema(fresh, 'x', [], STEPS);
    expect(tablesOf(fresh)).toEqual(tablesOf(stepped));
    expect(versionOf(fresh)).toBe(versionOf(stepped));
  });

  test.each([
    ['home_too_old', 'PRAGMA application_id=0x53756267; PRAGMA user_version=6; CREATE TABLE a(b)'],
    ['home_unsafe', 'CREATE TABLE a(b)'],
    ['home_unsafe', 'PRAGMA application_id=1'],
    ['not_available', 'PRAGMA application_id=0x53756247; PRAGMA user_version=6; CREATE TABLE a(b)'],
    ['not_available', 'PRAGMA application_id=0x53756247; PRAGMA user_version=0; CREATE TABLE a(b)'],
  ])('refuses with %s: %s', (code, sql) => {
    const db = new SqliteDatabase(':memory:');
    db.exec(sql);
    expect(() => openSchema(db, 'home/gateway.db', [])).toThrow(expect.objectContaining({ code }));
    expect(tablesOf(db)).not.toContain('identity');
  });
});
