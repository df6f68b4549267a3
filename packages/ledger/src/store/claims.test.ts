import SqliteDatabase from 'better-sqlite3';
import { expect, it } from 'vitest';
import { SCHEMA } from '../schema/ddl.js';
import { Claims } from './claims.js';

it('knows what was claimed in a commit that is under way, in one before, and nothing else', () => {
  const db = new SqliteDatabase(':memory:');
  for (const text of SCHEMA) db.exec(text);
  const claims = new Claims(db);
  for (let seq = 1; seq <= 20; seq += 1) claims.add(1, `request-${seq}`, seq);
  claims.add(2, 'request-20', 21);
  const ask = (): unknown[] => [
    claims.find(1, 'request-1'),
    claims.find(1, 'request-20'),
    claims.find(2, 'request-20'),
    claims.find(2, 'request-1'),
    claims.find(1, 'request-21'),
  ];
  const expected = [1, 20, 21, undefined, undefined];
  expect(ask()).toEqual(expected);
  claims.flush();
  expect(ask()).toEqual(expected);
  expect(new Claims(db).find(1, 'request-20')).toBe(20);
  claims.add(1, 'request-20', 22);
  expect(() => claims.flush()).toThrow('UNIQUE constraint failed');
  db.close();
});
