import SqliteDatabase from 'better-sqlite3';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { holdStatements } from './statements.js';

const COLLECTED = fileURLToPath(new URL('../../testing/collected.mjs', import.meta.url));

it('no statement is collected before its connection is', () => {
  const counts = execFileSync(process.execPath, ['--expose-gc', COLLECTED], { encoding: 'utf8' });
  expect(JSON.parse(counts)).toEqual({ plain: 0, held: 20 });
});

it('a text is prepared once', () => {
  const db = holdStatements(new SqliteDatabase(':memory:'));
  expect(db.prepare('SELECT 1')).toBe(db.prepare('SELECT 1'));
  expect(db.prepare('SELECT 1')).not.toBe(db.prepare('SELECT 2'));
  db.close();
});

it('pragmas answer as they did', () => {
  const db = holdStatements(new SqliteDatabase(':memory:'));
  for (const trusted of [0, 1, 0]) {
    db.pragma(`trusted_schema=${trusted}`);
    expect(db.pragma('trusted_schema', { simple: true })).toBe(trusted);
    expect(db.pragma('trusted_schema')).toEqual([{ trusted_schema: trusted }]);
  }
  expect(db.pragma('journal_mode=wal', { simple: true })).toBe('memory');
  db.close();
});
