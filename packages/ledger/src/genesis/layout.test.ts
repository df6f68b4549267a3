import SqliteDatabase from 'better-sqlite3';
import { createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SIGNING_KEY } from '../../testing/scratch.js';
import { schemaHash, type Layout } from '../schema/ddl.js';
import { genesisMismatch } from './layout.js';

/** What a genesis record of layout `born` says against a file whose number is `file`. */
function mismatch(born: Layout, file: number, hash = schemaHash(born)): string | null {
  const db = new SqliteDatabase(':memory:');
  try {
    db.pragma(`user_version = ${file}`);
    const key = createPublicKey(SIGNING_KEY);
    const rest = { ledgerId: 'L1', createdMs: 1, version: '0.1.0', fingerprint: '' };
    return genesisMismatch(db, { layout: born, schemaHash: hash, publicKey: key, sealKey: key, ...rest });
  } finally {
    db.close();
  }
}

describe('the genesis record and the layout of the file that it stands in', () => {
  it.each([
    [1, 1],
    [2, 2],
    [1, 2],
  ] as const)('fit where the record is of layout %d and the file of %d', (born, file) => {
    expect(mismatch(born, file)).toBeNull();
  });

  it.each([
    [2, 1],
    [2, 0],
    [1, 0],
    [1, -1],
  ] as const)('do not fit where the record is of layout %d and the file of %d', (born, file) => {
    expect(mismatch(born, file)).toBe(
      `the file has an older layout than the ${born} that it was created with`,
    );
  });

  it.each([
    ['the other layout', schemaHash(1)],
    ['nothing', ''],
    ['the same in upper case', schemaHash(2).toUpperCase()],
  ])('do not fit where the record names the schema of %s', (_, hash) => {
    expect(mismatch(2, 2, hash)).toBe('the genesis record names another schema');
  });

  it('are not judged where a later version wrote the file', () => {
    expect(() => mismatch(2, 3)).toThrow(expect.objectContaining({ code: 'not_available' }));
  });
});
