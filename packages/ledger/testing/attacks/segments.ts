import type { Database } from 'better-sqlite3';
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { attack, withoutTriggers } from '../scratch.js';
import { fillRun, type Book, type Copy } from './book.js';
import { appendRow, lie, rehash, relink } from './rewrite.js';

/** One attack on the files of a ledger that has several. */
export interface SegmentAttack {
  readonly name: string;
  readonly act: (copy: Copy, book: Book) => unknown;
  /** A class, or a verdict. */
  readonly found: string;
}

/** The closed file that is attacked: neither the first nor the last of them. */
const VICTIM = 3;

const fileOf = (copy: Copy, number: number): string => {
  const path = copy.files[number - 1];
  if (path === undefined) throw new Error(`there is no file ${number}`);
  return path;
};

/** Edits file `number` with no trigger in the way. */
const edit =
  (number: number, change: (db: Database) => void) =>
  (copy: Copy): void =>
    attack(fileOf(copy, number), (db) => withoutTriggers(db, () => change(db)));

const sql = (text: string, number = VICTIM): ((copy: Copy) => void) =>
  edit(number, (db) => void db.exec(text));

const rename = (copy: Copy, number: number, change: (parts: number[]) => number[]): void => {
  const path = fileOf(copy, number);
  const parts = basename(path, '.db').split('-').map(Number);
  renameSync(path, join(dirname(path), `${change(parts).join('-')}.db`));
};

const drop =
  (...numbers: number[]) =>
  (copy: Copy): void => {
    const paths = numbers.map((number) => fileOf(copy, number));
    for (const path of paths) rmSync(path);
  };

/** The newest file's number. */
const newest = (copy: Copy): number => copy.files.length;

const lastSeq = (db: Database): number =>
  db.prepare<[], number>('SELECT max(seq) FROM entry').pluck().get() ?? 0;

const BASE_EDITS = {
  segment: 'segment = segment + 1',
  seq: 'seq = seq - 1',
  leaf: 'leaf = zeroblob(32)',
  frontier: 'frontier = CAST(zeroblob(32) || substr(frontier, 33) AS BLOB)',
  seals: 'seals = seals + 1',
  seal_key: `seal_key = (SELECT substr(hash, 1, 32) FROM entry LIMIT 1)`,
} as const;

/** A row behind the end of a file, hashed; its name is made to fit, where asked. */
const behindTheEnd =
  (isNamed: boolean) =>
  (copy: Copy): void => {
    edit(VICTIM, (db) => void appendRow(db, { kind: 9, type: 'shim_health' }))(copy);
    if (isNamed) rename(copy, VICTIM, ([number = 0, first = 0, last = 0]) => [number, first, last + 1]);
  };

/** An entry of an ended run, in the newest file. */
function resurrect(copy: Copy, type: 'run_start' | 'shim_health'): void {
  edit(newest(copy), (db) => {
    db.exec(`INSERT INTO dict SELECT max(id) + 1, 1, '"run-002"' FROM dict`);
    const run = db.prepare<[], number>('SELECT max(id) FROM dict').pluck().get() ?? 0;
    appendRow(db, { kind: type === 'run_start' ? 1 : 9, type, run });
  })(copy);
}

/** An entry of the gateway that refers to an older file's; the number of the entry is chosen there. */
const refer =
  (choose: string, isCarried: boolean) =>
  (copy: Copy): void => {
    let ref = 0;
    attack(fileOf(copy, VICTIM), (db) => (ref = db.prepare<[], number>(choose).pluck().get() ?? 0));
    edit(newest(copy), (db) => {
      if (isCarried) db.exec(`INSERT INTO carried VALUES(${ref}, 9, 0, 0)`);
      appendRow(db, { kind: 9, type: 'shim_health', ref });
    })(copy);
  };

/** The run that goes on through all files claims an id again that it claimed in the file before. */
async function claimAgain(copy: Copy): Promise<Copy> {
  const ledger = await copy.open({ segmentBytes: 1 });
  await ledger.append({
    entries: [{ type: 'action_rejected', ts: 1, runId: 'long', code: 'rate_limited', data: {} }],
    seen: { runId: 'long', id: 'twice' },
  });
  await fillRun(ledger, 'filler');
  await ledger.close();
  // The next start goes on in another file.
  await (await copy.open({ segmentBytes: 1 })).close();
  edit(newest(copy), (db) => {
    const run = db.prepare<[], number>(`SELECT id FROM dict WHERE name = '"long"'`).pluck().get() ?? 0;
    const data = '{"#seen":"twice"}';
    const seq = appendRow(db, { kind: 9, type: 'shim_health', run, data });
    db.exec(`INSERT INTO seen VALUES(${run}, 'twice', ${seq})`);
  })(copy);
  return copy;
}

async function forkOf(book: Book, copy: Copy): Promise<Copy> {
  const fork = book.older.again(join(copy.folder, 'fork'));
  const ledger = await fork.open({ segmentBytes: 1 });
  for (let run = 0; run < 12; run += 1) await fillRun(ledger, `fork-${run}`);
  await ledger.close();
  return fork;
}

/** What is done to a ledger's files, and to where one begins and another ends. */
export const SEGMENT_ATTACKS: readonly SegmentAttack[] = [
  { name: 'the first file taken away', act: drop(1), found: 'unproven' },
  { name: 'a file in the middle taken away', act: drop(VICTIM), found: 'unproven' },
  {
    name: 'the file before the newest taken away',
    act: (copy) => drop(newest(copy) - 1)(copy),
    found: 'unproven',
  },
  {
    name: 'every closed file taken away',
    act: (copy) => rmSync(join(copy.folder, 'segments'), { recursive: true }),
    found: 'unproven',
  },
  {
    name: 'two files under each other’s names',
    act: (copy) => {
      const [one, other] = [fileOf(copy, 2), fileOf(copy, VICTIM)];
      renameSync(one, `${one}.aside`);
      renameSync(other, one);
      renameSync(`${one}.aside`, other);
    },
    found: 'segment',
  },
  {
    name: 'a file under another number',
    act: (copy) => rename(copy, VICTIM, ([, first = 0, last = 0]) => [99, first, last]),
    found: 'segment',
  },
  {
    name: 'a file whose name says that it begins with another entry',
    act: (copy) => rename(copy, VICTIM, ([number = 0, first = 0, last = 0]) => [number, first + 1, last]),
    found: 'segment',
  },
  {
    name: 'a file whose name says that it ends with an older entry',
    act: (copy) => rename(copy, VICTIM, ([number = 0, first = 0, last = 0]) => [number, first, last - 1]),
    found: 'segment',
  },
  {
    name: 'two files of one number',
    act: (copy) => {
      const path = fileOf(copy, VICTIM);
      copyFileSync(path, join(dirname(path), `${VICTIM}-1-2.db`));
    },
    found: 'segment',
  },
  {
    name: 'one more file behind the newest',
    act: (copy) => {
      const path = fileOf(copy, VICTIM);
      copyFileSync(path, join(dirname(path), `${newest(copy)}-1-2.db`));
    },
    found: 'segment',
  },
  {
    name: 'garbage in the place of a file',
    act: (copy) => writeFileSync(fileOf(copy, VICTIM), 'garbage'),
    found: 'page',
  },
  {
    name: 'a closed file in the place of the newest, all others as they were',
    act: (copy) => {
      for (const end of ['-wal', '-shm']) rmSync(copy.path + end, { force: true });
      copyFileSync(fileOf(copy, VICTIM), copy.path);
    },
    found: 'segment',
  },
  {
    name: 'a file as it was before it was closed',
    act: (copy, book) => {
      const number = book.older.files.length;
      copyFileSync(book.older.path, fileOf(copy, number));
    },
    found: 'missing',
  },
  {
    name: 'a file of a copy that went on by itself',
    act: async (copy, book) => {
      const fork = await forkOf(book, copy);
      const number = book.older.files.length + 1;
      const theirs = fork.files[number - 1] ?? '';
      const [path, name] = [fileOf(copy, number), basename(theirs)];
      rmSync(path);
      copyFileSync(theirs, join(dirname(path), name));
    },
    found: 'segment',
  },
  ...Object.entries(BASE_EDITS).map(([column, text]): SegmentAttack => ({
    name: `a base with another ${column}`,
    act: sql(`UPDATE base SET ${text}`),
    found: 'segment',
  })),
  {
    name: 'a base with another number of seals, the first entry made to commit to it, all hashed anew',
    act: edit(VICTIM, (db) => {
      db.exec('UPDATE base SET seals = seals + 1');
      db.exec(
        `UPDATE entry SET body = replace(body, '"base":"', '"base":"0') WHERE seq = (SELECT min(seq) FROM entry)`,
      );
      relink(db, db.prepare<[], number>('SELECT min(seq) FROM entry').pluck().get() ?? 0);
    }),
    found: 'segment',
  },
  {
    name: 'one more entry to go on with',
    act: sql('INSERT INTO carried SELECT seq - 1, 20, 20, 0 FROM base'),
    found: 'segment',
  },
  { name: 'an entry less to go on with', act: sql('DELETE FROM carried'), found: 'segment' },
  {
    name: 'an entry to go on with, of another run',
    act: sql('UPDATE carried SET run = 0'),
    found: 'segment',
  },
  {
    name: 'one more chain to go on with',
    act: sql('INSERT INTO carried_run SELECT max(id), 1, zeroblob(32) FROM dict WHERE kind = 1'),
    found: 'segment',
  },
  { name: 'a chain less to go on with', act: sql('DELETE FROM carried_run WHERE run > 0'), found: 'segment' },
  {
    name: 'a chain with another tip',
    act: sql('UPDATE carried_run SET last = zeroblob(32)'),
    found: 'segment',
  },
  {
    name: 'a chain with another index',
    act: sql('UPDATE carried_run SET next = next + 1'),
    found: 'segment',
  },
  {
    name: 'a tile of an older file, copied wrong',
    act: sql('UPDATE tile SET hash = zeroblob(32) WHERE lvl = 1 AND idx = 2'),
    found: 'tile',
  },
  {
    name: 'a tile of an older file, not copied',
    act: sql('DELETE FROM tile WHERE lvl = 1 AND idx = 2'),
    found: 'tile',
  },
  {
    name: 'the entry that opens a file taken out',
    act: sql('DELETE FROM entry WHERE seq = (SELECT min(seq) FROM entry)'),
    found: 'missing',
  },
  {
    name: 'the entry that opens a file in another’s place',
    act: edit(VICTIM, (db) => {
      const first = db.prepare<[], number>('SELECT min(seq) FROM entry').pluck().get() ?? 0;
      db.exec(
        `UPDATE entry SET kind = 9, body = replace(body, '"type":"segment_opened"', '"type":"shim_health"') WHERE seq = ${first}`,
      );
      rehash(db, first);
    }),
    found: 'segment',
  },
  {
    name: 'the genesis record of another ledger',
    act: sql(`UPDATE genesis SET record = replace(record, '"created":1', '"created":2')`),
    found: 'segment',
  },
  { name: 'an entry behind the end of a file', act: behindTheEnd(false), found: 'segment' },
  {
    name: 'an entry behind the end of a file, which is named after it',
    act: behindTheEnd(true),
    found: 'segment',
  },
  {
    name: 'the end of a file cut off',
    act: sql('DELETE FROM entry WHERE seq = (SELECT max(seq) FROM entry)'),
    found: 'missing',
  },
  {
    name: 'the end of a file cut off, which is named after what is left',
    act: (copy) => {
      sql('DELETE FROM entry WHERE seq > (SELECT max(seq) - 2 FROM entry)')(copy);
      rename(copy, VICTIM, ([number = 0, first = 0, last = 0]) => [number, first, last - 2]);
    },
    found: 'segment',
  },
  {
    name: 'the head of a closed file made older',
    act: (copy, book) => {
      const number = book.older.files.length;
      edit(number, (db) => {
        db.exec(`ATTACH '${book.older.path}' AS older`);
        db.exec('DELETE FROM head; INSERT INTO head SELECT * FROM older.head');
      })(copy);
    },
    found: 'head',
  },
  {
    name: 'the list of open entries of a closed file',
    act: sql(`UPDATE head SET open = '[1]'`),
    found: 'head',
  },
  {
    name: 'a name in a closed file that nothing uses',
    act: sql(`INSERT INTO dict SELECT max(id) + 1, 1, '"ghost"' FROM dict`),
    found: 'dict',
  },
  {
    name: 'a believable lie in a closed file, with all hashes and chains of it',
    act: edit(VICTIM, (db) => {
      lie(db, lastSeq(db) - 500);
      relink(db, lastSeq(db) - 500);
    }),
    found: 'heads_log',
  },
  {
    name: 'an index of a closed file that hides rows',
    act: edit(VICTIM, (db) => {
      const at = `UPDATE sqlite_schema SET sql = 'CREATE INDEX e_run ON entry(run)`;
      db.pragma('writable_schema=ON');
      db.exec(`${at} WHERE seq%7<>5' WHERE name = 'e_run'`);
      db.pragma('writable_schema=RESET');
      db.exec('REINDEX e_run');
      db.pragma('writable_schema=ON');
      db.exec(`${at}' WHERE name = 'e_run'`);
    }),
    found: 'page',
  },
  {
    name: 'a preview in a closed file deleted, without a word',
    act: sql('DELETE FROM blob WHERE seq = (SELECT max(seq) FROM blob)'),
    found: 'blob',
  },
  {
    name: 'a claimed id in a closed file forgotten',
    act: sql('DELETE FROM seen WHERE seq = (SELECT max(seq) FROM seen)'),
    found: 'seen',
  },
  {
    name: 'a draft that was left over: nobody reads it',
    act: (copy) => writeFileSync(`${copy.path}.next`, readFileSync(fileOf(copy, 1))),
    found: 'ok',
  },
  {
    name: 'an ended run that begins again',
    act: (copy) => resurrect(copy, 'run_start'),
    found: 'run_chain',
  },
  {
    name: 'an ended run that goes on',
    act: (copy) => resurrect(copy, 'shim_health'),
    found: 'run_chain',
  },
  {
    name: 'an entry of an older file that is referred to again',
    act: refer('SELECT max(ref) FROM entry WHERE ref < (SELECT max(seq) FROM entry)', false),
    found: 'pairing',
  },
  {
    name: 'an entry of an older file that is referred to again, and carried on for it',
    act: refer('SELECT max(ref) FROM entry WHERE ref < (SELECT max(seq) FROM entry)', true),
    found: 'segment',
  },
  { name: 'a request id that was claimed in the file before', act: claimAgain, found: 'seen' },
  {
    name: 'the files before one taken away, and its base edited',
    act: (copy) => {
      sql('UPDATE base SET seals = seals + 1')(copy);
      drop(1, 2)(copy);
    },
    found: 'segment',
  },
  {
    name: 'the files before one taken away, and a chain that it goes on with edited',
    act: (copy) => {
      sql('UPDATE carried_run SET next = next + 1 WHERE run > 0')(copy);
      drop(1, 2)(copy);
    },
    found: 'segment',
  },
  {
    name: 'the files before one taken away, and a tile that it was given edited',
    act: (copy) => {
      sql('UPDATE tile SET hash = zeroblob(32) WHERE lvl = 1 AND idx = 2')(copy);
      drop(1, 2)(copy);
    },
    found: 'tile',
  },
  {
    name: 'the files before one taken away, and its genesis with them',
    act: (copy) => {
      sql(`UPDATE genesis SET record = replace(record, '"created":1', '"created":2')`)(copy);
      drop(1, 2)(copy);
    },
    found: 'segment',
  },
];
