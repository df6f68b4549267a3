import type { Database } from 'better-sqlite3';
import { closeSync, openSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { holdStatements } from '../schema/statements.js';
import { openDatabase, SqliteError } from '../sqlite/open.js';

/** `PRAGMA application_id` of an index: "SubI". */
const APPLICATION_ID = 0x53756249;
/** Another version is made anew from the ledger. */
const VERSION = 1;
/**
 * A reader may wait for a block that is being written; the thread of the ledger's writer waits for nobody.
 */
const READER_WAIT_MS = 1000;

/**
 * `state`: the ledger, by its genesis fingerprint, and the last entry that was looked at, with its leaf.
 * `covered`: ranges of entries whose blocks are all here. `block`: its entries and the times in it. `mark`:
 * the blocks in which a value occurs.
 */
const SCHEMA: readonly string[] = [
  `CREATE TABLE state(
  id INTEGER PRIMARY KEY CHECK(id=1),
  ledger TEXT NOT NULL,
  up_to INTEGER NOT NULL,
  leaf TEXT NOT NULL
) STRICT`,
  `CREATE TABLE covered(
  first INTEGER PRIMARY KEY,
  last INTEGER NOT NULL
) STRICT`,
  `CREATE TABLE block(
  first INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  min_ts INTEGER NOT NULL,
  max_ts INTEGER NOT NULL
) STRICT`,
  `CREATE TABLE mark(
  value INTEGER NOT NULL,
  block INTEGER NOT NULL,
  PRIMARY KEY(value,block)
) STRICT, WITHOUT ROWID`,
];

/** The state of an index. */
export interface IndexState {
  readonly ledger: string;
  readonly upTo: number;
  readonly leaf: string;
}

/** Where the index of the ledger at `path` lies. */
export function indexPath(path: string): string {
  return join(dirname(path), 'index.db');
}

/** Removes an index with everything beside it. It is made anew from the ledger. */
export function removeIndex(file: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(file + end, { force: true });
}

/** Opens the index for its one writer; makes it where there is none, or none of this version. */
export function openForFilling(file: string): Database {
  const known = openAsIs(file, false, 0);
  const db = known ?? create(file);
  db.pragma('journal_mode=WAL');
  // A power cut may take the newest blocks with it: they are looked at again.
  db.pragma('synchronous=NORMAL');
  return db;
}

/** Opens the index for reading; undefined where there is none that this version reads. */
export function openForAsking(file: string): Database | undefined {
  return openAsIs(file, true, READER_WAIT_MS);
}

/** The state that an index says it has; undefined before the first block. */
export function stateOf(db: Database): IndexState | undefined {
  return db.prepare<[], IndexState>('SELECT ledger, up_to AS upTo, leaf FROM state').get();
}

/** Undefined for whatever is no index of this version: it is derived, and nobody needs it. */
function openAsIs(file: string, readonly: boolean, timeout: number): Database | undefined {
  let db: Database | undefined;
  try {
    db = holdStatements(openDatabase(file, { fileMustExist: true, readonly, timeout }));
    db.pragma('trusted_schema=OFF');
    db.pragma('cell_size_check=ON');
    const texts = db.prepare<[], string>('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL').pluck().all();
    const isOurs =
      db.pragma('application_id', { simple: true }) === APPLICATION_ID &&
      db.pragma('user_version', { simple: true }) === VERSION &&
      texts.length === SCHEMA.length &&
      texts.every((text) => SCHEMA.includes(text));
    if (isOurs) return db;
  } catch (error) {
    if (!(error instanceof SqliteError)) throw error;
  }
  db?.close();
  return undefined;
}

function create(file: string): Database {
  removeIndex(file);
  closeSync(openSync(file, 'wx', 0o600));
  const db = holdStatements(openDatabase(file, { fileMustExist: true, timeout: 0 }));
  db.pragma('trusted_schema=OFF');
  db.transaction(() => {
    db.pragma(`application_id=${APPLICATION_ID}`);
    db.pragma(`user_version=${VERSION}`);
    for (const text of SCHEMA) db.exec(text);
  })();
  return db;
}
