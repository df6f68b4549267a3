import SqliteDatabase, { type Database } from 'better-sqlite3';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPublicKey } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KNOWS_OPEN_FILES, openFilesIn } from '../../testing/open-files.js';
import { SIGNING_KEY } from '../../testing/scratch.js';
import { rawPublicKey } from '@subluminal/core-types';
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

describe('the heads log and the entries of several files', () => {
  let folder: string;
  let db: Database;
  /** Restores are entries 2 and 20, the first one of the oldest file and the last one of the next, and 22. */
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'subl-declared-'));
    mkdirSync(join(folder, 'segments'));
    write('segments/1-2-10.db', '(2, 54), (10, 50)').close();
    write('segments/2-11-20.db', '(11, 50), (20, 54)').close();
    db = write('ledger.db', '(21, 50), (22, 54)');
    db.prepare('INSERT INTO base VALUES(1, 3, 20, ?, ?, 1, ?)').run(
      Buffer.alloc(32),
      Buffer.alloc(64),
      rawPublicKey(createPublicKey(SIGNING_KEY)),
    );
  });
  afterEach(() => {
    db.close();
    rmSync(folder, { recursive: true });
  });

  const write = (name: string, rows: string): Database => {
    const file = new SqliteDatabase(join(folder, name));
    file.exec(`CREATE TABLE entry(seq INTEGER PRIMARY KEY, kind INTEGER); INSERT INTO entry VALUES ${rows};
      CREATE TABLE base(id INTEGER PRIMARY KEY, segment, seq, leaf, frontier, seals, seal_key)`);
    return file;
  };
  const said = (...sizes: readonly number[]): string | null =>
    contradictedRestore(db, [line(0, false), line(21, true), ...sizes.map((size) => line(size, true))]);

  it('tell of the same restores, wherever their entries stand', () => {
    expect(said(1, 19)).toBeNull();
  });

  it.each([9, 10, 15, 20, 22])(
    'contradict each other where no entry tells of the one to %d entries',
    (size) => {
      expect(said(size)).toMatch(`restored to ${size} entries, and no entry says so`);
    },
  );

  it('do not contradict each other over an entry whose file is not there', () => {
    rmSync(join(folder, 'segments/2-11-20.db'));
    expect(said(1, 10, 15)).toBeNull();
    expect(said(8)).toMatch('restored to 8 entries, and no entry says so');
    rmSync(join(folder, 'segments/1-2-10.db'));
    expect(said(8)).toBeNull();
  });

  it.skipIf(!KNOWS_OPEN_FILES)('are asked without leaving a file open', () => {
    said(1, 9, 10, 19);
    expect(openFilesIn(folder)).toContain(join(folder, 'ledger.db'));
    expect(openFilesIn(join(folder, 'segments'))).toEqual([]);
  });
});
