import SqliteDatabase, { type Database } from 'better-sqlite3';
import { createPublicKey } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyFromSeed } from '../../testing/scratch.js';
import { rawPublicKey } from '@subluminal/core-types';
import { readBase, writeBase } from './base.js';

/** The table as somebody else may have made it: without the checks on lengths. */
let db: Database;
beforeEach(() => {
  db = new SqliteDatabase(':memory:');
  db.exec('CREATE TABLE base(id INTEGER PRIMARY KEY, segment, seq, leaf, frontier, seals, seal_key)');
});
afterEach(() => db.close());

const KEY = rawPublicKey(createPublicKey(keyFromSeed(5)));
const GOOD = { seq: 3, leaf: Buffer.alloc(32, 1), frontier: Buffer.alloc(64, 2), key: KEY };

function read(change: Partial<typeof GOOD>): ReturnType<typeof readBase> {
  const { seq, leaf, frontier, key } = { ...GOOD, ...change };
  db.prepare('INSERT INTO base VALUES(1, 2, ?, ?, ?, 1, ?)').run(seq, leaf, frontier, key);
  return readBase(db);
}

describe('the base of a file', () => {
  it('is read as it was written', () => {
    const base = read({});
    if (base === undefined) throw new Error('there is no base');
    expect(base).toMatchObject({ segment: 2, seq: 3, leaf: '01'.repeat(32), seals: 1 });
    db.exec('DELETE FROM base');
    writeBase(db, base);
    expect(readBase(db)?.frontier.toBytes()).toEqual(GOOD.frontier);
  });

  it('is none where there is no row', () => {
    expect(readBase(db)).toBeUndefined();
  });

  it.each([
    ['a leaf of 31 bytes', { leaf: Buffer.alloc(31) }],
    ['a leaf of 33 bytes', { leaf: Buffer.alloc(33) }],
    ['a seal key of 31 bytes', { key: KEY.subarray(1) }],
    ['a seal key of 33 bytes', { key: Buffer.concat([KEY, KEY.subarray(0, 1)]) }],
    ['a hash of its frontier too few', { frontier: Buffer.alloc(32) }],
    ['a hash of its frontier too many', { frontier: Buffer.alloc(96) }],
    ['a frontier of another size', { seq: 4 }],
    ['a size below 0', { seq: -1 }],
  ])('is none with %s', (_, change) => {
    expect(read(change)).toBeUndefined();
  });
});
