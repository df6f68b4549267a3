import { SublError } from '@subluminal/core-types';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Altered, said, sql } from '../../testing/altered.js';
import type { Copy } from '../../testing/attacks/book.js';
import { KNOWS_OPEN_FILES, openFilesIn } from '../../testing/open-files.js';
import { attack, fillRun, withoutTriggers } from '../../testing/scratch.js';
import { openFiles, type OpenFile } from './files.js';

/** Three files, with a run in each. */
let ledger: Altered;
beforeAll(async () => {
  const run = (id: string) => (open: Parameters<typeof fillRun>[0]) => fillRun(open, id, 1);
  ledger = await Altered.write(run('run-a'), run('run-b'), run('run-c'));
});
afterAll(() => ledger.remove());

let copy: Copy;
beforeEach(() => {
  copy = ledger.copy();
});
afterEach(() => copy.remove());

const fileOf = (at: number): string => copy.files[at - 1] ?? '';
const blobs = ({ db }: OpenFile): number =>
  db.prepare<[], number>('SELECT count(*) FROM blob').pluck().get() ?? 0;
/** Deletes the previews of a file, unless somebody's reading of it forbids that. */
const lose = (path: string): void => {
  const db = new SqliteDatabase(path, { timeout: 0 });
  try {
    db.exec('DELETE FROM blob');
  } catch (error) {
    expect(error).toMatchObject({ code: 'SQLITE_BUSY' });
  } finally {
    db.close();
  }
};

/**
 * Opens them, with something done at the moment of each attempt's snapshot; says what came of it and closes
 * them.
 */
function opened(...steps: readonly ((take: () => void) => void)[]) {
  let attempts = 0;
  const files = openFiles(copy.path, (take) => {
    attempts += 1;
    steps[attempts - 1]?.(take);
    take();
  });
  const names = [...files.closed, files.newest].map(({ path }) => basename(path));
  const { finding, missing } = files;
  const kept = [...files.closed, files.newest].map(blobs);
  files.close();
  return { attempts, names, kept, finding, missing };
}

const NAMES = ['1-1-7.db', '2-8-15.db', 'ledger.db'];
const closedAgain = (): void => {
  if (KNOWS_OPEN_FILES) expect(openFilesIn(copy.folder)).toEqual([]);
};

describe('the files of a ledger', () => {
  it('are opened once where nothing happens, and closed again', () => {
    expect(opened()).toEqual({ attempts: 1, names: NAMES, kept: [1, 1, 1], finding: null, missing: null });
    closedAgain();
  });

  it('are opened again where the newest is another by now', () => {
    const replaced = (): void => {
      copyFileSync(copy.path, `${copy.path}.other`);
      lose(`${copy.path}.other`);
      renameSync(`${copy.path}.other`, copy.path);
    };
    expect(opened(replaced)).toMatchObject({ attempts: 2, kept: [1, 1, 0] });
    closedAgain();
  });

  it('are opened again where an older one came or went', () => {
    const [from, aside] = [fileOf(1), join(copy.folder, 'aside')];
    expect(opened(() => renameSync(from, aside))).toMatchObject({ attempts: 2, names: NAMES.slice(1) });
    expect(opened(() => renameSync(aside, from))).toMatchObject({ attempts: 2, names: NAMES });
    closedAgain();
  });

  it('are opened again where one is locked for a moment', () => {
    const locked = new SqliteDatabase.SqliteError('database is locked', 'SQLITE_BUSY');
    const snapshot = new SqliteDatabase.SqliteError('database is locked', 'SQLITE_BUSY_SNAPSHOT');
    const unsafe = new SublError('ledger_unsafe', 'it cannot be opened', { cause: locked });
    const throwing = (error: Error) => () => {
      throw error;
    };
    expect(opened(...[locked, snapshot, unsafe].map(throwing)).attempts).toBe(4);
    closedAgain();
    for (const error of [
      new SqliteDatabase.SqliteError('disk I/O error', 'SQLITE_IOERR'),
      new SublError('ledger_unsafe', 'it cannot be opened', { cause: new Error('permission denied') }),
      new Error('something else'),
    ])
      expect(() => opened(throwing(error))).toThrow(error.message);
    closedAgain();
    expect(() => opened(...Array.from({ length: 30 }, () => throwing(locked)))).toThrow(
      'changes too fast to be read together with its older files',
    );
    closedAgain();
  });

  it('are doubted three times before they are found to contradict each other', () => {
    const again = join(dirname(fileOf(1)), '1-1-2.db');
    const put = (): void => copyFileSync(fileOf(1), again);
    const taken = (): void => rmSync(again);
    put();
    expect(opened()).toMatchObject({ attempts: 4, finding: { class: 'segment' } });
    closedAgain();
    taken();
    put();
    const rest = [() => undefined, taken];
    expect(opened(...rest)).toMatchObject({ finding: null, names: NAMES });
    closedAgain();
  });

  it('are seen as they were at that moment, whatever is done to them later', () => {
    const files = openFiles(copy.path, (take) => {
      take();
      lose(copy.path);
    });
    for (const path of copy.files) lose(path);
    expect([...files.closed, files.newest].map(blobs)).toEqual([1, 1, 1]);
    files.close();
    closedAgain();
  });

  it('begin behind the newest gap', async () => {
    rmSync(fileOf(2));
    expect(opened()).toMatchObject({ names: ['ledger.db'], missing: { from: 2, to: 2, count: 1 } });
    expect(said(await ledger.verify(copy))).toBe('unproven');
  });

  it('are not asked where their tables are none of a ledger', () => {
    attack(copy.path, (db) => db.exec('DROP TABLE base'));
    expect(opened()).toMatchObject({ names: ['ledger.db'], finding: null, missing: null });
  });
});

/** Overwrites bytes of a file, with no log beside it. */
const damage = (path: string, at: number, bytes: Buffer): void => {
  for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
  const all = readFileSync(path);
  bytes.copy(all, at);
  writeFileSync(path, all);
};

describe('a closed file that is none of a ledger', () => {
  const NONE = 'page at 8: `PATH` is no file of a ledger';
  it.each<readonly [string, (path: string) => void, string]>([
    ['is empty', (path) => writeFileSync(path, ''), NONE],
    ['is no database', (path) => writeFileSync(path, 'garbage'.repeat(1000)), NONE],
    ['has a damaged header', (path) => damage(path, 16, Buffer.alloc(80)), NONE],
    ['has a damaged schema', (path) => damage(path, 100, Buffer.alloc(200)), NONE],
    ['has a schema of another format', (path) => damage(path, 44, Buffer.from([0, 0, 0, 99])), 'unchecked'],
  ])('is found where it %s', async (_, change, finding) => {
    change(fileOf(2));
    expect(said(await ledger.verify(copy))).toBe(finding.replace('PATH', fileOf(2)));
    closedAgain();
  });

  it('is nothing of the ledger’s where it lies behind a gap', async () => {
    writeFileSync(fileOf(1), 'garbage');
    rmSync(fileOf(2));
    expect(said(await ledger.verify(copy))).toBe('unproven');
  });
});

describe('what the newest file says of its number', () => {
  const base = (text: string) => (db: Database) => withoutTriggers(db, () => void db.exec(text));
  it.each([
    [
      'is not there',
      'DELETE FROM base',
      'segment at 0: it says 0 times where it begins, or not in the right types',
    ],
    [
      'is 0',
      'UPDATE base SET segment = 0',
      /^segment at 1: `1-1-7.db` does not belong: the newest file has number 0$/,
    ],
    ['is that of another file', 'UPDATE base SET segment = 2', /^segment at 8: `2-8-15.db` does not belong/],
  ])('%s', async (_, text, finding) => {
    attack(copy.path, base(text));
    expect(said(await ledger.verify(copy))).toMatch(finding);
  });

  it('is 0, and there is no other', async () => {
    const own = await Altered.write((open) => fillRun(open, 'run', 1));
    expect(await own.found(sql('UPDATE base SET segment = 0'))).toBe(
      'segment at 1: it does not commit to what its file begins with',
    );
    own.remove();
  });

  it('is not looked at where its tables are none of a ledger', async () => {
    attack(copy.path, (db) => db.exec('DROP TABLE base'));
    expect(said(await ledger.verify(copy))).toMatch(/^schema at 0: missing: CREATE TABLE base/);
  });
});
