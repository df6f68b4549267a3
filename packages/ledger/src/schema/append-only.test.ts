import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Scratch } from '../../testing/scratch.js';

/** A connection of somebody else: no recursive triggers, so REPLACE would delete without a delete trigger. */
describe('over any connection', () => {
  let scratch: Scratch;
  beforeAll(async () => {
    scratch = await new Scratch().fill();
  });
  afterAll(() => scratch.remove());

  it.each([
    'UPDATE entry SET ts = 0 WHERE seq = 1',
    'UPDATE OR REPLACE entry SET seq = 2 WHERE seq = 3',
    'DELETE FROM entry WHERE seq = 33',
    'DELETE FROM entry',
    'INSERT OR REPLACE INTO entry SELECT * FROM entry WHERE seq = 5',
    'INSERT OR REPLACE INTO entry SELECT 34, ts, run, ref, kind, code, tool, body, hash FROM entry WHERE seq = 5',
    'INSERT OR IGNORE INTO entry SELECT 99, ts, run, NULL, kind, code, tool, body, hash FROM entry WHERE seq = 5',
    'INSERT INTO entry SELECT 0, ts, run, NULL, kind, code, tool, body, hash FROM entry WHERE seq = 5',
    'INSERT INTO entry SELECT * FROM entry WHERE seq = 5 ON CONFLICT(seq) DO UPDATE SET ts = 0',
    `UPDATE dict SET name = '"x"' WHERE id = 1`,
    'DELETE FROM dict',
    'INSERT OR REPLACE INTO dict SELECT (SELECT max(id)+1 FROM dict), kind, name FROM dict WHERE id = 1',
    `INSERT OR REPLACE INTO dict VALUES(1, 1, '"x"')`,
    'UPDATE seen SET seq = 1',
    'DELETE FROM seen',
    `UPDATE blob SET data = x'00'`,
    `UPDATE genesis SET record = ''`,
    'DELETE FROM genesis',
    `INSERT OR REPLACE INTO genesis VALUES(1, 'x')`,
    'DELETE FROM head',
    `INSERT OR REPLACE INTO head VALUES(1, 'x', x'', '[]', 0, x'')`,
  ])('%s is refused', (sql) => {
    const db = new SqliteDatabase(scratch.path);
    db.pragma('recursive_triggers=OFF');
    expect(() => db.exec(sql)).toThrow(/append-only/);
    db.close();
  });

  it('the schema cannot be written, since connections of ours are defensive', () => {
    const db = new SqliteDatabase(scratch.path);
    db.pragma('writable_schema=ON');
    expect(() => db.exec(`UPDATE sqlite_schema SET sql = 'x'`)).toThrow(/may not be modified/);
    db.close();
  });
});
