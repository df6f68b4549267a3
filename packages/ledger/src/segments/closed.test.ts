import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closedSegments } from './closed.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'subl-closed-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (...names: readonly string[]): void => {
  for (const name of names) writeFileSync(join(folder, name), '');
};
const ranges = (): unknown => closedSegments(folder).map(({ number, first, last }) => [number, first, last]);

describe('the closed files of a ledger', () => {
  it('are listed by their numbers, and those of one number by their first entry', () => {
    put('10-901-999.db', '2-11-20.db', '1-1-10.db', '2-9-30.db', '9-31-900.db', '3-5-8.db');
    expect(ranges()).toEqual([
      [1, 1, 10],
      [2, 9, 30],
      [2, 11, 20],
      [3, 5, 8],
      [9, 31, 900],
      [10, 901, 999],
    ]);
    expect(closedSegments(folder)[0]?.path).toBe(join(folder, '1-1-10.db'));
  });

  it.each([
    '0-1-10.db',
    '01-1-10.db',
    '1-0-10.db',
    '1-1-0.db',
    '1-1.db',
    '1-1-10.db-wal',
    '1-1-10',
    'x1-1-10.db',
    '1-1-10.db.next',
    '1234567890-1-10.db',
    '1-1-12345678901234567.db',
  ])('are not the file `%s`', (name) => {
    put(name);
    expect(ranges()).toEqual([]);
  });

  it('are not links that lead nowhere, and are those that lead to a file', () => {
    put('elsewhere');
    symlinkSync(join(folder, 'elsewhere'), join(folder, '1-1-10.db'));
    symlinkSync(join(folder, 'nowhere'), join(folder, '2-11-20.db'));
    expect(ranges()).toEqual([[1, 1, 10]]);
  });

  it('are none where there is no folder; what cannot be listed is not taken for none', () => {
    expect(closedSegments(join(folder, 'none'))).toEqual([]);
    put('file');
    expect(() => closedSegments(join(folder, 'file'))).toThrow('cannot be listed: ENOTDIR');
    symlinkSync(join(folder, 'loop'), join(folder, 'loop'));
    expect(() => closedSegments(join(folder, 'loop'))).toThrow('cannot be listed: ELOOP');
  });

  it('are listed from a folder beside the ledger alone', () => {
    mkdirSync(join(folder, 'inner'));
    writeFileSync(join(folder, 'inner', '1-1-10.db'), '');
    expect(ranges()).toEqual([]);
  });
});
