import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assertReadable, schemaDifference } from './check.js';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './ddl.js';
import { VIEWS } from './views.js';

let db: Database;
beforeEach(() => {
  db = new SqliteDatabase(':memory:');
  db.exec([...SCHEMA, ...VIEWS].join(';\n'));
  db.pragma(`application_id=${APPLICATION_ID}`);
  db.pragma(`user_version=${SCHEMA_VERSION}`);
});
afterEach(() => db.close());

describe('the schema version of a file', () => {
  it.each([0, -1])('%i was never one', (version) => {
    db.pragma(`user_version=${version}`);
    expect(schemaDifference(db)).toBe('its schema version is not one of a ledger');
  });

  it('2 is a later version’s', () => {
    db.pragma('user_version=2');
    expect(() => schemaDifference(db)).toThrow(
      expect.objectContaining({
        code: 'not_available',
        message: 'the ledger has schema version 2, and this version reads up to 1',
      }),
    );
  });

  it.each([1, 2])('before version 1 is refused, and how to keep it is said: layout %i', (layout) => {
    db.pragma('application_id=0x5375626c');
    db.pragma(`user_version=${layout}`);
    expect(() => assertReadable(db)).toThrow(
      expect.objectContaining({ code: 'home_too_old', help: expect.stringContaining('to keep it, move') }),
    );
  });
});

describe('the schema of a file', () => {
  it('does not differ where everything is as it was created', () => {
    expect(schemaDifference(db)).toBeNull();
  });

  it.each([
    ['PRAGMA application_id=1', 'application_id is not a ledger’s'],
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
