import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contradictedRestore, undeclaredRestore } from './declared.js';

const line = (size: number, restored: boolean) => ({ ts: 0, size, root: '00'.repeat(32), restored });

describe('a restore that the ledger tells of', () => {
  it.each([
    ['is not declared where the log begins with its size', [line(3, false)], 3],
    ['is not declared where the log begins before it', [line(2, false), line(4, true)], 3],
    ['is declared by a line of its size', [line(2, false), line(3, true)], undefined],
    ['is left alone where the log begins behind it', [line(4, false)], undefined],
    ['is left alone where there is no log', [], undefined],
  ])('%s', (_, lines, size) => {
    expect(undeclaredRestore([{ size: 3 }], lines)).toBe(size);
  });
});

describe('the heads log and the entries of a file', () => {
  let db: Database;
  beforeEach(() => {
    db = new SqliteDatabase(':memory:');
    db.exec(`CREATE TABLE entry(seq INTEGER PRIMARY KEY, kind INTEGER);
      CREATE TABLE base(id INTEGER PRIMARY KEY, segment, seq, leaf, frontier, seals, seal_key);
      INSERT INTO entry VALUES(1, 1), (4, 54), (5, 50)`);
  });
  afterEach(() => db.close());

  it('tell of the same restores', () => {
    expect(contradictedRestore(db, [line(2, false), line(3, true)])).toBeNull();
  });

  it.each([
    ['another kind of entry', 4],
    ['no entry', 5],
  ])('contradict each other where %s stands behind a restored size', (_, size) => {
    expect(contradictedRestore(db, [line(2, false), line(3, true), line(size, true)])).toMatch(
      `the heads log says that it was restored to ${size} entries, and no entry says so`,
    );
  });

  it('contradict each other where no line tells of an entry’s restore', () => {
    expect(contradictedRestore(db, [line(2, false)])).toBe(
      'an entry says that it was restored to 3 entries, and no line of the heads log says so',
    );
  });
});
