import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { layoutOf, schemaDifference } from './check.js';
import { APPLICATION_ID, LAYOUT, schemaOf } from './ddl.js';
import { VIEWS } from './views.js';

let db: Database;
beforeEach(() => {
  db = new SqliteDatabase(':memory:');
  db.exec([...schemaOf(LAYOUT), ...VIEWS].join(';\n'));
  db.pragma(`application_id=${APPLICATION_ID}`);
  db.pragma(`user_version=${LAYOUT}`);
});
afterEach(() => db.close());

describe('the layout of a file', () => {
  it.each([1, 2])('%i is read', (layout) => {
    db.pragma(`user_version=${layout}`);
    expect(layoutOf(db)).toBe(layout);
  });

  it.each([0, -1])('%i was never one', (layout) => {
    db.pragma(`user_version=${layout}`);
    expect(layoutOf(db)).toBeUndefined();
    expect(schemaDifference(db)).toBe('its layout is not one of a ledger');
  });

  it('3 is a later version’s', () => {
    db.pragma('user_version=3');
    expect(() => layoutOf(db)).toThrow('the ledger has layout 3, and this version reads up to 2');
  });
});

describe('the schema of a file', () => {
  it('does not differ where everything is as it was created', () => {
    expect(schemaDifference(db)).toBeNull();
  });

  it.each([
    ['PRAGMA application_id=1', 'application_id is not a ledger’s'],
    ['PRAGMA user_version=1', '`tile` is not as the ledger was created'],
    ['CREATE TABLE more(x)', '`more` is not as the ledger was created'],
    [
      'DROP INDEX e_run; CREATE INDEX e_run ON entry(run) WHERE run > 1',
      '`e_run` is not as the ledger was created',
    ],
    ['DROP INDEX e_run', 'missing: CREATE INDEX e_run ON entry'],
    ['DROP VIEW runs', /^missing: CREATE VIEW runs/],
  ])('differs after %s', (sql, why) => {
    db.exec(sql);
    expect(schemaDifference(db)).toMatch(why);
  });
});
