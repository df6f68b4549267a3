import { createHash } from 'node:crypto';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { verifyLedger } from '../../src/index.js';
import { action } from '../scratch.js';
import type { Attack } from './attack.js';
import { fillRun, type Copy } from './book.js';

const TORN =
  'it is what a loss of power leaves where the disk lies about a sync: a shorter ledger that agrees with itself; only outside memory can tell';
const UNTOUCHED = 'no entry was changed: without its memory an untouched ledger is unproven as well';

/** A ledger whose newest entries are in its write-ahead log alone. */
const crash = (copy: Copy): Promise<Copy> =>
  copy.crashed(async (ledger) => {
    for (const run of ['wal-1', 'wal-2']) await fillRun(ledger, run);
  });

/** What is done to the files, below SQLite. */
export const FILE_ATTACKS: readonly Attack[] = [
  {
    number: 41,
    name: 'the write-ahead log deleted',
    act: async (copy) => {
      const crashed = await crash(copy);
      rmSync(`${crashed.path}-wal`);
      rmSync(`${crashed.path}-shm`, { force: true });
      return crashed;
    },
    places: 'whole',
    because: TORN,
  },
  ...(
    [
      [42, 'cut at a commit', (wal: Buffer) => commitEnds(wal).at(-40) ?? 0],
      [43, 'cut in the middle of a frame', (wal: Buffer) => (commitEnds(wal).at(-40) ?? 0) + 1000],
    ] as const
  ).map(([number, name, at]): Attack => ({
    number,
    name: `the write-ahead log ${name}`,
    act: async (copy) => {
      const crashed = await crash(copy);
      const wal = readFileSync(`${crashed.path}-wal`);
      truncateSync(`${crashed.path}-wal`, at(wal));
      rmSync(`${crashed.path}-shm`, { force: true });
      return crashed;
    },
    places: 'whole',
    because: TORN,
  })),
  {
    number: 44,
    name: 'a bit of the write-ahead log flipped',
    act: async (copy) => {
      const crashed = await crash(copy);
      const wal = readFileSync(`${crashed.path}-wal`);
      const at = wal.length >> 1;
      wal[at] = (wal[at] ?? 0) ^ 1;
      writeFileSync(`${crashed.path}-wal`, wal);
      rmSync(`${crashed.path}-shm`, { force: true });
      return crashed;
    },
    places: 'whole',
    because: TORN,
  },
  {
    number: 45,
    name: 'the write-ahead log of an older state in its place',
    act: async (copy, _, book) => {
      const crashed = await crash(copy);
      const other = await crash(book.copy());
      const wal = readFileSync(`${other.path}-wal`);
      // Other salts: a log that belongs to another generation of the file.
      wal.writeUInt32BE(wal.readUInt32BE(16) + 1, 16);
      writeFileSync(`${crashed.path}-wal`, wal);
      rmSync(`${crashed.path}-shm`, { force: true });
      return crashed;
    },
    places: 'whole',
    because: TORN,
  },
  {
    number: 46,
    name: 'garbage for the index of the write-ahead log',
    act: async (copy) => {
      const crashed = await crash(copy);
      writeFileSync(`${crashed.path}-shm`, Buffer.alloc(32_768, 0x5a));
      return crashed;
    },
    places: 'whole',
    because: UNTOUCHED,
  },
  {
    number: 47,
    name: 'the file switched to a rollback journal: its log is read all the same',
    act: async (copy) => {
      const crashed = await crash(copy);
      const bytes = readFileSync(crashed.path);
      bytes.writeUInt16BE(0x0101, 18);
      writeFileSync(crashed.path, bytes);
      return crashed;
    },
    places: 'whole',
    because: UNTOUCHED,
  },
  {
    number: 47,
    name: 'a hot journal planted that would put pages back: whoever only reads refuses the file',
    act: (copy, _, book) => plantJournal(copy, book.older),
    places: 'whole',
  },
  {
    number: 48,
    name: 'bits flipped all over the file: a contradiction, or not a byte of what it says differs',
    act: (copy) => sweep(copy, process.env['SUB_LONG'] === undefined ? 12 : 300),
    places: 'whole',
    because: UNTOUCHED,
  },
  {
    number: 49,
    name: 'a page of a long body damaged',
    act: async (copy) => {
      const ledger = await copy.open();
      await ledger.append({
        entries: [
          { ...action('shim_health', null, null), tool: null, data: { text: 'overflow '.repeat(4000) } },
        ],
      });
      await ledger.close();
      const bytes = readFileSync(copy.path);
      const at = bytes.lastIndexOf('overflow overflow');
      bytes.write('OVERFLOW', at);
      writeFileSync(copy.path, bytes);
    },
    places: 'whole',
  },
  {
    number: 49,
    name: 'the list of free pages damaged',
    act: (copy) => {
      copy.edit((db) => {
        db.exec(
          'CREATE TABLE filler(x); INSERT INTO filler SELECT randomblob(3000) FROM entry LIMIT 200; DROP TABLE filler',
        );
        db.pragma('wal_checkpoint(TRUNCATE)');
      });
      const bytes = readFileSync(copy.path);
      const trunk = bytes.readUInt32BE(32);
      if (trunk === 0) throw new Error('there is no free page');
      bytes.writeUInt32BE(2, (trunk - 1) * bytes.readUInt16BE(16) + 8);
      writeFileSync(copy.path, bytes);
    },
    places: 'whole',
    because:
      'free pages hold nothing that a reader gets; the integrity check leaves them out where a view comes first in the schema',
  },
];

/** Where a commit ends in a write-ahead log: the frames that say how large the database is after them. */
function commitEnds(wal: Buffer): number[] {
  const page = wal.readUInt32BE(8);
  const ends: number[] = [];
  for (let at = 32; at + 24 + page <= wal.length; at += 24 + page) {
    if (wal.readUInt32BE(at + 4) !== 0) ends.push(at + 24 + page);
  }
  return ends;
}

/** A rollback journal with pages of the older file, as a crash in the middle of a transaction leaves one. */
function plantJournal(copy: Copy, older: Copy): void {
  const bytes = readFileSync(copy.path);
  bytes.writeUInt16BE(0x0101, 18);
  writeFileSync(copy.path, bytes);
  const old = readFileSync(older.path);
  const page = bytes.readUInt16BE(16);
  const header = Buffer.alloc(512);
  Buffer.from('d9d505f920a163d7', 'hex').copy(header);
  const numbers = Array.from({ length: 40 }, (_, n) => n * 3 + 2);
  header.writeUInt32BE(numbers.length, 8);
  header.writeUInt32BE(0, 12);
  header.writeUInt32BE(bytes.length / page, 16);
  header.writeUInt32BE(512, 20);
  header.writeUInt32BE(page, 24);
  const records = numbers.map((number) => {
    const content = old.subarray((number - 1) * page, number * page);
    const record = Buffer.alloc(page + 8);
    record.writeUInt32BE(number, 0);
    content.copy(record, 4);
    let sum = 0;
    for (let at = page - 200; at > 0; at -= 200) sum = (sum + (content[at] ?? 0)) >>> 0;
    record.writeUInt32BE(sum, page + 4);
    return record;
  });
  for (const end of ['-wal', '-shm']) rmSync(copy.path + end, { force: true });
  writeFileSync(`${copy.path}-journal`, Buffer.concat([header, ...records]));
}

/** Flips bits one at a time, spread over the whole file, and puts each back. */
async function sweep(copy: Copy, flips: number): Promise<void> {
  const bytes = readFileSync(copy.path);
  const said = contentOf(copy.path);
  for (let flip = 0; flip < flips; flip += 1) {
    const at = Math.floor(((flip + 0.37) / flips) * bytes.length);
    const before = bytes[at] ?? 0;
    bytes[at] = before ^ (1 << (flip % 8));
    writeFileSync(copy.path, bytes);
    const { exit } = await verifyLedger(copy.path, { headsLog: copy.headsLog, sealKeyPath: copy.sealKey });
    if (exit !== 4 && contentOf(copy.path) !== said)
      throw new Error(`the bit at ${at} was flipped, and verify said ${exit}`);
    bytes[at] = before;
  }
  writeFileSync(copy.path, bytes);
  if (existsSync(`${copy.path}-wal`)) rmSync(`${copy.path}-wal`);
}

/** A hash of everything that a reader of the file gets. */
function contentOf(path: string): string {
  const hash = createHash('sha256');
  let db: Database | undefined;
  try {
    db = new SqliteDatabase(path, { readonly: true });
    const tables = db
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .pluck()
      .all();
    for (const table of tables) {
      for (const row of db.prepare(`SELECT * FROM ${table}`).raw().iterate())
        hash.update(JSON.stringify(row));
    }
  } catch (error) {
    hash.update(String(error));
  } finally {
    db?.close();
  }
  return hash.digest('hex');
}
