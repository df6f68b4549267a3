import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkSingleRows } from './single-rows.js';

/** The tables as somebody else may have made them: without constraints. */
let db: Database;
beforeEach(() => {
  db = new SqliteDatabase(':memory:');
  db.exec(`CREATE TABLE genesis(id, record); CREATE TABLE head(id, note, frontier, open, mark_size, mark_frontier);
    CREATE TABLE base(id, segment, seq, leaf, frontier, seals, seal_key);
    INSERT INTO genesis VALUES(1, '{}'); INSERT INTO head VALUES(1, 'note', x'00', '[]', 0, x'');
    INSERT INTO base VALUES(1, 1, 0, x'00', x'', 0, x'00')`);
});
afterEach(() => db.close());

const found = (sql: string): unknown => {
  db.exec(sql);
  const finding = checkSingleRows(db);
  return finding === null ? null : `${finding.class} ${finding.seq}: ${finding.detail}`;
};

describe('the rows that there is one of', () => {
  it('are fine as a writer makes them', () => {
    expect(found('')).toBeNull();
  });

  it.each([
    ['none', 'DELETE FROM genesis', 'there are 0 genesis records, or it is not a text'],
    ['two', `INSERT INTO genesis VALUES(2, '{}')`, 'there are 2 genesis records, or it is not a text'],
    ['another id', 'UPDATE genesis SET id = 2', 'there are 1 genesis records, or it is not a text'],
    [
      'bytes for its text',
      'UPDATE genesis SET record = CAST(record AS BLOB)',
      'there are 1 genesis records, or it is not a text',
    ],
  ])('are found to be wrong in genesis: %s', (_, sql, detail) => {
    expect(found(sql)).toBe(`genesis 0: ${detail}`);
  });

  it.each([
    ['none', 'DELETE FROM head', 'there is no head'],
    ['two', 'INSERT INTO head SELECT 2, note, frontier, open, mark_size, mark_frontier FROM head', ''],
    ['another id', 'UPDATE head SET id = 2', ''],
    ['bytes for a text', 'UPDATE head SET open = CAST(open AS BLOB)', ''],
    ['a text for bytes', `UPDATE head SET mark_frontier = ''`, ''],
  ])('are found to be wrong in head: %s', (kind, sql, detail) => {
    const many = `there are ${kind === 'two' ? 2 : 1} heads, or one with columns of other types`;
    expect(found(sql)).toBe(`head 0: ${detail === '' ? many : detail}`);
  });

  it.each([
    ['none', 'DELETE FROM base', 0],
    ['two', 'INSERT INTO base SELECT 2, segment, seq, leaf, frontier, seals, seal_key FROM base', 2],
    ['another id', 'UPDATE base SET id = 2', 1],
    ['a text for a number', `UPDATE base SET seq = '0'`, 1],
    ['a text for bytes', `UPDATE base SET frontier = ''`, 1],
  ])('are found to be wrong in base: %s', (_, sql, rows) => {
    expect(found(sql)).toBe(`segment 0: it says ${rows} times where it begins, or not in the right types`);
  });
});
