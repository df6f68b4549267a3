import SqliteDatabase, { type Database } from 'better-sqlite3';
import { linkSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KNOWS_OPEN_FILES, openFilesIn } from '../../testing/open-files.js';
import { closedSegments, type ClosedSegment } from '../segments/closed.js';
import { chainBefore, misplacedFile, missingBefore, twinOf } from './placement.js';

/** Files of these numbers, of ten entries each. */
const files = (...numbers: readonly number[]): ClosedSegment[] =>
  numbers.map((number) => ({
    number,
    first: number * 10 - 9,
    last: number * 10,
    path: `segments/${number}.db`,
  }));

describe('the files before the newest', () => {
  it.each([
    [[], 1, [], null],
    [[1, 2, 3], 4, [1, 2, 3], null],
    [[], 3, [], { from: 1, to: 2, count: 2, first: 1 }],
    [[2, 3], 4, [2, 3], { from: 1, to: 1, count: 1, first: 1 }],
    [[1, 3], 4, [3], { from: 2, to: 2, count: 1, first: 11 }],
    [[1, 2], 4, [], { from: 3, to: 3, count: 1, first: 21 }],
    [[1, 4, 6], 7, [6], { from: 5, to: 5, count: 3, first: 41 }],
    [[1, 6], 7, [6], { from: 2, to: 5, count: 4, first: 11 }],
    [[1, 2, 3, 4, 5], 4, [1, 2, 3], null],
    [[2, 2, 3], 4, [2, 3], { from: 1, to: 1, count: 1, first: 1 }],
    [[2, 3, 4], 4, [2, 3], { from: 1, to: 1, count: 1, first: 1 }],
    [[2, 3, 5, 9], 4, [2, 3], { from: 1, to: 1, count: 1, first: 1 }],
  ])('of the numbers %j before %d are in a row: %j', (numbers, newest, chain, missing) => {
    const listed = files(...numbers);
    expect(chainBefore(listed, newest).map(({ number }) => number)).toEqual(chain);
    expect(missingBefore(listed, newest)).toEqual(missing);
  });
});

describe('a file among the closed ones', () => {
  let folder: string;
  let path: string;
  let db: Database;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'subl-placement-'));
    path = join(folder, 'ledger.db');
    mkdirSync(join(folder, 'segments'));
    db = new SqliteDatabase(path);
    db.exec('CREATE TABLE entry(seq INTEGER PRIMARY KEY, kind INTEGER); INSERT INTO entry VALUES(1, 9)');
  });
  afterEach(() => {
    db.close();
    rmSync(folder, { recursive: true });
  });

  const closed = (name: string): string => join(folder, 'segments', name);
  const put = (...names: readonly string[]): void =>
    names.forEach((name) => writeFileSync(closed(name), name));
  const end = (): void => db.exec('INSERT INTO entry VALUES(2, 53), (3, 50)') && undefined;
  const found = (number: number, twin?: string): unknown => {
    const finding = misplacedFile({ path, db }, number, closedSegments(join(folder, 'segments')), twin);
    return finding === null ? null : `${finding.class} ${finding.seq}: ${finding.detail}`;
  };
  const belongsNot = (name: string, seq: number, why: string): string =>
    `segment ${seq}: \`${name}\` does not belong: ${why}`;

  it('is in its place where it lies before the newest, alone under its number', () => {
    expect(found(1)).toBeNull();
    put('1-1-10.db', '2-11-20.db');
    expect(found(3)).toBeNull();
  });

  it('is misplaced where another has its number', () => {
    put('1-1-10.db', '2-5-20.db', '2-11-20.db');
    expect(found(3)).toBe(belongsNot('2-11-20.db', 11, 'there are two files of number 2'));
  });

  it.each([2, 3, 4])('is misplaced with the number %d where the newest has 2', (number) => {
    put('1-1-10.db', `${number}-11-20.db`);
    expect(found(2)).toBe(belongsNot(`${number}-11-20.db`, 11, 'the newest file has number 2'));
  });

  it('may be the newest itself where that has ended, with nothing behind it', () => {
    put('1-1-10.db');
    linkSync(path, closed('2-11-20.db'));
    const why = belongsNot('2-11-20.db', 11, 'the newest file has number 2');
    expect(found(2)).toBe(why);
    end();
    expect(found(2)).toBeNull();
    expect(found(1)).toBe(belongsNot('1-1-10.db', 1, 'the newest file has number 1'));
    put('3-21-30.db');
    expect(found(2)).toBe(why);
  });

  it.skipIf(
    statSync('/proc', { throwIfNoEntry: false })?.ino !== statSync('/sys', { throwIfNoEntry: false })?.ino,
  )('is not the newest where it lies on another device under the same number', () => {
    end();
    const [listed] = files(2);
    const at = (other: string): unknown =>
      misplacedFile({ path: '/proc', db }, 2, listed === undefined ? [] : [{ ...listed, path: other }], '');
    expect(at('/proc')).toBeNull();
    expect(at('/sys')).toMatchObject({ class: 'segment' });
  });

  it('may be the newest’s twin where that has ended, and no other file', () => {
    put('2-11-20.db');
    const twin = closed('2-11-20.db');
    const why = belongsNot('2-11-20.db', 11, 'the newest file has number 2');
    expect(found(2, twin)).toBe(why);
    end();
    expect(found(2, twin)).toBeNull();
    expect(found(2, closed('other'))).toBe(why);
    expect(found(2)).toBe(why);
    expect(found(1, twin)).toBe(belongsNot('2-11-20.db', 11, 'the newest file has number 1'));
  });
});

describe('a closed file with the content of the newest', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'subl-twin-'));
    mkdirSync(join(folder, 'segments'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const CHUNK = 1 << 20;
  const twin = (newest: Buffer, closed: Buffer, number: number | undefined = 1): unknown => {
    const path = join(folder, 'ledger.db');
    writeFileSync(path, newest);
    writeFileSync(join(folder, 'segments', '1-1-10.db'), closed);
    const found = twinOf(path, number);
    return found === undefined ? null : basename(found);
  };

  it.each([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 5])('is one of all its %d bytes', (size) => {
    const bytes = Buffer.alloc(size, 7);
    expect(twin(bytes, bytes)).toBe('1-1-10.db');
    for (const at of [0, CHUNK - 1, CHUNK, size - 1].filter((one) => one >= 0 && one < size)) {
      const other = Buffer.from(bytes);
      other[at] = 8;
      expect(twin(bytes, other)).toBeNull();
    }
    expect(twin(bytes, Buffer.alloc(size + 1, 7))).toBeNull();
    if (size > 0) expect(twin(bytes, bytes.subarray(1))).toBeNull();
  });

  it.skipIf(!KNOWS_OPEN_FILES)('is compared without leaving it open', () => {
    expect(twin(Buffer.alloc(9), Buffer.alloc(9))).toBe('1-1-10.db');
    expect(openFilesIn(folder)).toEqual([]);
  });

  it('is one of its number', () => {
    expect(twin(Buffer.alloc(9), Buffer.alloc(9), 2)).toBeNull();
    const path = join(folder, 'ledger.db');
    expect(twinOf(path, undefined)).toBeUndefined();
  });

  it('is a file, as the newest is', () => {
    const path = join(folder, 'ledger.db');
    const there = join(folder, 'segments', '1-1-10.db');
    mkdirSync(path);
    mkdirSync(there);
    expect(twinOf(path, 1)).toBeUndefined();
    const { size } = statSync(path);
    rmSync(there, { recursive: true });
    writeFileSync(there, Buffer.alloc(size));
    expect(twinOf(path, 1)).toBeUndefined();
    rmSync(path, { recursive: true });
    rmSync(there);
    mkdirSync(there);
    writeFileSync(path, Buffer.alloc(statSync(there).size));
    expect(twinOf(path, 1)).toBeUndefined();
  });
});
