import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { layoutOf, renewViews, schemaDifference } from './check.js';
import { APPLICATION_ID, LAYOUT, schemaOf } from './ddl.js';
import { EARLIER_VIEWS, viewName, VIEWS } from './views.js';

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

describe('a file with views of an earlier version', () => {
  const views = (): string[] =>
    db.prepare<[], string>(`SELECT sql FROM sqlite_schema WHERE type = 'view' ORDER BY name`).pluck().all();

  it('is a ledger, gets those of this one, and is one then', () => {
    const now = views();
    for (const earlier of EARLIER_VIEWS.keys()) db.exec(`DROP VIEW ${viewName(earlier)}; ${earlier}`);
    expect(views()).not.toEqual(now);
    expect(schemaDifference(db)).toBeNull();
    renewViews(db);
    expect(views()).toEqual(now);
    expect(schemaDifference(db)).toBeNull();
  });

  it('has each of them once', () => {
    const [[earlier = ''] = []] = EARLIER_VIEWS;
    db.exec(earlier.replace('CREATE VIEW policy_versions', 'CREATE VIEW more'));
    expect(schemaDifference(db)).toBe('`more` is not as the ledger was created');
    db.exec('DROP VIEW more; DROP VIEW runs');
    renewViews(db);
    expect(schemaDifference(db)).toMatch(/^missing: CREATE VIEW runs/);
  });
});
