import SqliteDatabase, { type Database } from 'better-sqlite3';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyFromSeed, SIGNING_KEY } from '../../testing/scratch.js';
import type { Genesis } from '../genesis/record.js';
import { signRestored } from '../restore/record.js';
import { firstBase } from '../segments/base.js';
import { keyText, signSeal } from './record.js';
import { newestSeal } from './stored.js';

const ROOT = Buffer.alloc(32, 1).toString('base64');
const [FIRST, SECOND, THIRD] = [11, 12, 13].map((byte) => keyFromSeed(byte)) as [
  KeyObject,
  KeyObject,
  KeyObject,
];
const GENESIS: Genesis = {
  ledgerId: 'L1',
  createdMs: 0,
  schemaHash: '',
  version: '0',
  publicKey: createPublicKey(SIGNING_KEY),
  sealKey: createPublicKey(FIRST),
  fingerprint: '00'.repeat(32),
};

const seal = (n: number, size: number, key: KeyObject, next: KeyObject): string =>
  signSeal('L1', { n, size, root: ROOT, nextKey: keyText(createPublicKey(next)) }, key);
const restored = (size: number, next: KeyObject, logKey = SIGNING_KEY): string => {
  const sealKey = keyText(createPublicKey(next));
  return signRestored('L1', { size, root: ROOT, knownSize: 99, knownRoot: '', sealKey, reason: 'r' }, logKey);
};

let db: Database;
beforeEach(() => {
  db = new SqliteDatabase(':memory:');
  db.exec('CREATE TABLE entry(seq INTEGER PRIMARY KEY, kind INTEGER, body TEXT)');
});
afterEach(() => db.close());

/**
 * The words about a ledger with those entries: number and place of its newest seal and the key in force, or
 * the contradiction.
 */
function said(...entries: readonly (readonly [number, number, string])[]): unknown {
  const insert = db.prepare('INSERT INTO entry VALUES(?, ?, ?)');
  for (const [seq, kind, data] of entries) insert.run(seq, kind, `{"data":${data}}`);
  const state = newestSeal(db, GENESIS, firstBase(GENESIS), 1000);
  return typeof state === 'string' ? state : [state.n, state.seq, keyText(state.key)];
}
const state = (n: number, seq: number, key: KeyObject) => [n, seq, keyText(createPublicKey(key))];

describe('the newest seal of a file', () => {
  it('is none before the first', () => {
    expect(said()).toEqual(state(0, 0, FIRST));
  });

  it('is one that its predecessor’s key signed', () => {
    expect(said([4, 50, seal(1, 3, FIRST, SECOND)], [9, 50, seal(2, 8, SECOND, THIRD)])).toEqual(
      state(2, 9, THIRD),
    );
  });

  it('is counted on across a restore, with the key of the restore', () => {
    const entries = [
      [4, 50, seal(1, 3, FIRST, SECOND)],
      [6, 54, restored(5, THIRD)],
    ] as const;
    expect(said(...entries)).toEqual(state(1, 4, THIRD));
    expect(said([8, 50, seal(2, 7, THIRD, FIRST)])).toEqual(state(2, 8, FIRST));
  });

  it('is none behind a restore before the first', () => {
    expect(said([6, 54, restored(5, THIRD)])).toEqual(state(0, 0, THIRD));
  });

  it.each([
    ['a number too high', seal(3, 8, SECOND, THIRD), 'seal 3 is not in its place'],
    ['its predecessor’s number', seal(1, 8, SECOND, THIRD), 'seal 1 is not in its place'],
    ['a size too small', seal(2, 7, SECOND, THIRD), 'seal 2 is not in its place'],
    ['a size that counts itself', seal(2, 9, SECOND, THIRD), 'seal 2 is not in its place'],
    [
      'the key of the seal before',
      seal(2, 8, FIRST, THIRD),
      'seal 2 is not signed by the key that its predecessor names',
    ],
    ['data of something else', '{}', 'entry 9 is no seal'],
  ])('is refused with %s', (_, data, why) => {
    expect(said([4, 50, seal(1, 3, FIRST, SECOND)], [9, 50, data])).toBe(why);
  });

  it('is refused behind a seal that is none', () => {
    expect(said([4, 50, '{}'], [9, 50, seal(2, 8, SECOND, THIRD)])).toBe('entry 4 is no seal');
  });

  it.each([
    ['another size', restored(4, THIRD)],
    ['a key that is not the log’s', restored(5, THIRD, SECOND)],
    ['data of something else', '{}'],
  ])('is refused behind a restore with %s', (_, data) => {
    const why = 'entry 6 is no restore that the log key signed';
    expect(said([6, 54, data])).toBe(why);
    expect(said([8, 50, seal(1, 7, THIRD, FIRST)])).toBe(why);
  });

  it('is refused behind a restore behind a seal that is none', () => {
    expect(said([4, 50, '{}'], [6, 54, restored(5, THIRD)])).toBe('entry 4 is no seal');
  });
});
