import type { Database } from 'better-sqlite3';
import type { KeyObject } from 'node:crypto';
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Copy } from '../../testing/attacks/book.js';
import { forge } from '../../testing/attacks/forge.js';
import { appendRow } from '../../testing/attacks/rewrite.js';
import { attack, fillRun, Scratch, SIGNING_KEY, withoutTriggers } from '../../testing/scratch.js';
import { threeFiles } from '../../testing/three-files.js';
import { verifyLedger } from '../index.js';

let scratch: Scratch;
let keys: ReadonlyMap<number, KeyObject>;
let older: Copy;
beforeAll(async () => {
  ({ scratch, keys, older } = await threeFiles());
});
afterAll(() => scratch.remove());

let copies = 0;
const copied = (of: Pick<Copy, 'path' | 'sealKey' | 'headsLog'> = scratch): Copy =>
  Copy.of(of, join(scratch.folder, `copy-${(copies += 1)}`));

/** What verify says of a copy, which nobody needs any more. */
async function said(copy: Copy, hasMemory = true): Promise<string> {
  const { headsLog, sealKey: sealKeyPath } = copy;
  const options = hasMemory ? { headsLog, sealKeyPath } : {};
  const { verdict, finding, reasons } = await verifyLedger(copy.path, options);
  copy.remove();
  if (finding === null) return [verdict, ...reasons].join('; ');
  return `${finding.class} ${finding.seq}: ${finding.detail.replaceAll(copy.folder, '')}`;
}

/** What is found where one file was edited. */
async function found(number: number, edit: string, hasMemory = true): Promise<string> {
  const copy = copied();
  attack(copy.files[number - 1] ?? '', (db) => {
    db.pragma('ignore_check_constraints=ON');
    withoutTriggers(db, () => void db.exec(edit));
  });
  return said(copy, hasMemory);
}

describe('a closed file that is changed', () => {
  it('is not: three files are one ledger', async () => {
    expect(await said(copied())).toBe('ok');
  });

  it.each([
    ['DROP INDEX e_run', 'schema 0: missing: CREATE INDEX e_run ON entry'],
    [`UPDATE genesis SET record = '{}'`, 'genesis 0: there is no readable genesis record'],
    [
      `UPDATE genesis SET record = replace(record, '"schema":"', '"schema":"0')`,
      'genesis 0: the genesis record names another schema',
    ],
    [`UPDATE head SET note = ''`, 'head 0: the signatures of the head do not verify under the keys in force'],
    ['DELETE FROM base', 'segment 0: it says 0 times where it begins, or not in the right types'],
    [`UPDATE base SET leaf = x'00'`, 'segment 0: it does not say where it begins'],
    ['UPDATE base SET seq = 13', 'segment 0: it does not say where it begins'],
    ['UPDATE base SET segment = 3', 'segment 13: it is file 3 of the ledger, not 2'],
    [
      'UPDATE base SET leaf = zeroblob(32)',
      'segment 13: its file says that it begins with another predecessor than it does',
    ],
    [
      'UPDATE base SET frontier = zeroblob(64)',
      'segment 13: its file says that it begins with another tree than it does',
    ],
    ['UPDATE base SET seals = 3', 'segment 13: its file says that it begins with another seal than it does'],
    [
      'UPDATE base SET seal_key = (SELECT hash FROM entry LIMIT 1)',
      'segment 13: its file says that it begins with another seal than it does',
    ],
    [
      `UPDATE genesis SET record = replace(record, '"created":1', '"created":2')`,
      'segment 13: it is a file of another ledger',
    ],
    ['UPDATE entry SET seq = 5 WHERE seq = 13', 'stray 5: it comes before the first entry'],
    ['UPDATE entry SET seq = 12 WHERE seq = 13', 'stray 12: it comes before the first entry'],
    ['DELETE FROM entry', 'missing 13: it is not there, and the name of its file says so'],
    ['DELETE FROM entry WHERE seq = 21', 'missing 21: it is not there, and the name of its file says so'],
    ['DELETE FROM entry WHERE seq = 13', 'missing 13: it is not there'],
    [
      'DELETE FROM carried WHERE seq = 3',
      'segment 13: its file does not begin as it has to: it does not go on with entry 3, which may still be referred to',
    ],
    [
      'DELETE FROM carried_run WHERE run = 1',
      'segment 13: its file does not begin as it has to: it does not go on with the chain of the run "long"',
    ],
    ['UPDATE carried SET run = 7', 'dict 13: run number 7 has no name'],
    ['INSERT INTO tile VALUES(1, 0, zeroblob(32))', 'tile 22: there are tiles of entries that are not there'],
    [`INSERT INTO dict VALUES(5, 1, '"ghost"')`, 'dict 0: it holds a name that no entry uses'],
    [`INSERT INTO seen VALUES(1, 'x', 14)`, 'seen 14: the request id `x` is recorded but no entry claims it'],
    [
      `INSERT INTO blob VALUES(50, 'a', zeroblob(16), x'00')`,
      'blob 0: there are blobs that belong to no entry',
    ],
    ['PRAGMA user_version=2', 'segment 13: its schema is of another version than that of the newest file'],
    [
      'PRAGMA application_id=0x5375626c',
      'segment 13: its schema is of another version than that of the newest file',
    ],
    [
      'UPDATE head SET mark_size = 1, mark_frontier = (SELECT hash FROM entry WHERE seq = 13)',
      'head 12: the mark of its file lies before it',
    ],
  ])('is found and named after %s', async (sql, finding) => {
    expect(await found(2, sql)).toBe(`${finding} (\`2-13-21.db\`)`);
  });

  it('is found where its head is an older one', async () => {
    const head = `ATTACH '${older.path}' AS older; DELETE FROM head; INSERT INTO head SELECT * FROM older.head`;
    expect(await found(1, head)).toBe(
      'head 12: the signed head of its file, which is closed, does not cover it (`1-1-12.db`)',
    );
  });

  it.each([2, 3])('is found where an index hides a row: file %d', async (number) => {
    const copy = copied();
    attack(copy.files[number - 1] ?? '', (db) => {
      const set = (where: string): void => {
        db.pragma('writable_schema=ON');
        db.exec(
          `UPDATE sqlite_schema SET sql = 'CREATE INDEX e_run ON entry(run)${where}' WHERE name = 'e_run'`,
        );
      };
      set(' WHERE seq % 7 <> 5');
      db.pragma('writable_schema=RESET');
      db.exec('REINDEX e_run');
      set('');
    });
    expect(await said(copy)).toMatch(
      number === 2 ? /^page 0: .*e_run \(`2-13-21\.db`\)$/ : /^page 0: .*e_run$/,
    );
  });

  it.each([
    ['leaf = zeroblob(32)', 'predecessor'],
    ['seals = 3', 'seal'],
    ['seal_key = (SELECT hash FROM entry LIMIT 1)', 'seal'],
  ])('is found where it is the first: %s', async (change, what) => {
    expect(await found(1, `UPDATE base SET ${change}`)).toBe(
      `segment 0: its file says that it begins with another ${what} than it does (\`1-1-12.db\`)`,
    );
  });

  it('is found where it is the first and goes on with something', async () => {
    expect(await found(1, 'INSERT INTO carried VALUES(0, 20, 20, 0)')).toBe(
      'segment 0: its file does not begin as it has to: it goes on with entry 0, which nothing may refer to any more, or not as it is (`1-1-12.db`)',
    );
  });

  it.each(['genesis', 'head', 'entry'])('is damaged where the pages of %s are', async (table) => {
    const copy = copied();
    spoil(copy.files[1] ?? '', table);
    expect(await said(copy)).toBe('page 0: database disk image is malformed');
  });

  it.each([
    [
      1,
      '1-2-12.db',
      'segment 1: its name says that it begins with entry 2, and it begins with 1 (`1-2-12.db`)',
    ],
    [
      1,
      '1-1-11.db',
      'segment 13: its file begins with it, and the one before is named after entry 11 as its last (`2-13-21.db`)',
    ],
    [
      2,
      '2-13-22.db',
      'segment 22: its file begins with it, and the one before is named after entry 22 as its last',
    ],
    [2, '5-13-21.db', 'segment 13: `5-13-21.db` does not belong: the newest file has number 3'],
  ])('is found where file %d is named %s', async (number, name, finding) => {
    const copy = copied();
    const path = copy.files[number - 1] ?? '';
    renameSync(path, join(dirname(path), name));
    expect(await said(copy)).toBe(finding);
  });
});

describe('the newest file that is changed', () => {
  it.each([
    ['DROP INDEX e_run', 'schema 0: missing: CREATE INDEX e_run ON entry'],
    [`UPDATE genesis SET record = '{}'`, 'genesis 0: there is no readable genesis record'],
    [`UPDATE base SET leaf = x'00'`, 'segment 0: it does not say where it begins'],
    ['UPDATE base SET segment = 4', 'segment 22: it does not commit to what its file begins with'],
    ['UPDATE base SET segment = 2', 'segment 13: `2-13-21.db` does not belong: the newest file has number 2'],
    ['DELETE FROM entry', 'heads_log 22: it is not there, the heads log knows 22'],
    ['DELETE FROM entry WHERE seq = 28', 'heads_log 28: it is not there, the heads log knows 28'],
    ['INSERT INTO tile VALUES(1, 0, zeroblob(32))', 'tile 29: there are tiles of entries that are not there'],
    [`INSERT INTO dict VALUES(5, 1, '"ghost"')`, 'dict 0: it holds a name that no entry uses'],
    ['PRAGMA user_version=2', 'unchecked; the ledger has schema version 2, and this version reads up to 1'],
  ])('is found after %s', async (sql, finding) => {
    expect(await found(3, sql)).toBe(finding);
  });

  it('is found where it is empty, also without the memory', async () => {
    expect(await found(3, 'DELETE FROM entry', false)).toBe(
      'head 22: it is not there, the signed head covers 28',
    );
  });
});

describe('the tiles that a file was given', () => {
  let tiled: Scratch;
  beforeAll(async () => {
    tiled = new Scratch();
    tiled.create();
    for (const calls of [90, 1]) {
      const ledger = await tiled.open({ segmentBytes: 1 });
      await fillRun(ledger, `run-${calls}`, calls);
      await ledger.close();
    }
  });
  afterAll(() => tiled.remove());

  it.each([
    ['', 'ok'],
    [
      'UPDATE tile SET hash = zeroblob(32)',
      'tile 1: the tiles of the first 256 entries do not give their tree',
    ],
    ['DELETE FROM tile', 'tile 1: the tile 1/0 is missing'],
    [
      'INSERT INTO tile VALUES(1, 1, zeroblob(32))',
      'tile 281: there are tiles of entries that are not there',
    ],
  ])('are found wrong after `%s`', async (sql, finding) => {
    const copy = copied(tiled);
    attack(copy.path, (db) => withoutTriggers(db, () => void db.exec(sql)));
    expect(await said(copy)).toBe(finding);
  });
});

describe('files that are not there', () => {
  it.each([
    [[1], 'entries 1 to 12 were not verified: file 1 is not in `segments` (entries 1 to 12)'],
    [[2], 'entries 1 to 21 were not verified: file 2 is not in `segments` (entries 13 to 21)'],
    [[1, 2], 'entries 1 to 21 were not verified: files 1 to 2 are not in `segments` (entries 1 to 21)'],
  ])('leave the rest unproven: %j', async (numbers, reason) => {
    const copy = copied();
    const { files } = copy;
    for (const number of numbers) rmSync(files[number - 1] ?? '');
    expect(await said(copy)).toBe(`unproven; ${reason}`);
  });

  it.each([
    ['1-1-20.db', ' (entries 21 to 21)'],
    ['1-1-21.db', ''],
  ])('are counted from what is named before them: %s', async (name, range) => {
    const copy = copied();
    const [first = '', second = ''] = copy.files;
    rmSync(second);
    renameSync(first, join(dirname(first), name));
    const reason = `entries 1 to 21 were not verified: file 2 is not in \`segments\`${range}`;
    expect(await said(copy)).toBe(`unproven; ${reason}`);
  });

  it('leave open what receipts of their entries say', async () => {
    const copy = copied();
    const { headsLog, path, files } = copy;
    for (const file of files.slice(0, 2)) rmSync(file);
    const receipts = [5, 9].map((seq) => ({ seq, leaf: 'ab'.repeat(32) }));
    const { verdict, reasons } = await verifyLedger(path, { headsLog, receipts });
    expect(verdict).toBe('unproven');
    expect(reasons.at(-1)).toBe(
      '2 of the receipts and anchors could not be checked: their entries are in files that are not there',
    );
    copy.remove();
  });

  it('are not asked for what the newest that is there goes on with', async () => {
    const copy = copied();
    const { files } = copy;
    for (const path of files.slice(0, 2)) rmSync(path);
    const { open, runs, entries, segments } = await verifyLedger(copy.path, { headsLog: copy.headsLog });
    // The pending of entry 14 has no result, and of four runs one has ended before; `long`, `b` and `c` are
    // known.
    expect({ open, runs, entries, segments }).toEqual({
      open: 1,
      runs: 3,
      entries: 28,
      segments: { verified: 1, missing: 2, first: 22 },
    });
    copy.remove();
  });
});

describe('an end of a file that somebody with the keys of that time forges', () => {
  /** The entries from `from` on are made anew. */
  const forged = (from: number, seal: number, change: (db: Database) => void): Promise<string> => {
    const key = keys.get(seal);
    if (key === undefined) throw new Error('there is no such key');
    const copy = copied();
    copy.aim(from);
    forge(copy, from, { log: SIGNING_KEY, seal: key }, change);
    return said(copy, false);
  };

  it('is found where a closed file just stops', async () => {
    const change = (db: Database): void => {
      db.exec('DELETE FROM entry WHERE seq > 10');
      for (let row = 0; row < 2; row += 1) appendRow(db, { kind: 9, type: 'shim_health' });
    };
    expect(await forged(11, 10, change)).toBe(
      'segment 12: its file is closed, and does not end with the entry that says so and a seal (`1-1-12.db`)',
    );
  });

  it('is found where the newest ends and is not sealed', async () => {
    const change = (db: Database): void =>
      void appendRow(db, { kind: 53, type: 'segment_closed', data: '{"segment":3}' });
    expect(await forged(29, 28, change)).toBe(
      'segment 30: it is not there, and its file cannot be without it',
    );
  });
});

/** Writes over the first page of a table. */
function spoil(path: string, table: string): void {
  let page = 0;
  attack(path, (db) => {
    db.pragma('journal_mode=DELETE');
    const find = db.prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck();
    page = find.get(table) ?? 0;
  });
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, (page - 1) * 4096);
  closeSync(file);
}
