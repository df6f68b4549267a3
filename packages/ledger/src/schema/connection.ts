import type { Database } from 'better-sqlite3';
import { SublError } from '@subluminal/core-types';
import { cutOff } from './cut-off.js';
import { assertDatabaseFile, assertMagic } from './database-file.js';
import { holdStatements } from './statements.js';
import { openDatabase, SqliteError } from '../sqlite/open.js';

/** `fsync`: every commit survives power loss. `process`: it survives the death of the process only. */
export type Durability = 'fsync' | 'process';

/**
 * How long to wait for somebody else's lock. Nobody else has business writing here, so the writer gives up
 * soon.
 */
const WRITER_WAIT_MS = 1000;
const READER_WAIT_MS = 5000;
const SYNCHRONOUS = { fsync: 2, process: 1 } as const;
/**
 * Rows that a large statement keeps until it is done stay in memory: in a file they would be a system call a
 * page, and pages of the ledger elsewhere.
 */
const TEMP_STORE_MEMORY = 2;

/**
 * Opens the writer's connection. Reopening a WAL database silently gives synchronous=NORMAL, so every setting
 * is read back. better-sqlite3 opens in defensive mode, which shuts out writable_schema and direct writes to
 * shadow tables.
 *
 * @throws SublError `ledger_missing` (or no ledger), `ledger_unsafe` (a setting did not take),
 *   `ledger_corrupt`.
 */
export function openWriter(path: string, durability: Durability): Database {
  const db = openExisting(path, false, WRITER_WAIT_MS);
  try {
    for (const [name, value] of writerSettings(durability)) {
      db.pragma(`${name}=${value}`);
      const got = db.pragma(name, { simple: true });
      if (got !== value) throw unsafe(path, `\`${name}\` is \`${String(got)}\` instead of \`${value}\``);
    }
    db.pragma('checkpoint_fullfsync=ON');
    db.pragma('fullfsync=ON');
    return db;
  } catch (error) {
    db.close();
    throw asLedgerError(path, error);
  }
}

/**
 * Opens a read-only connection; it works while a gateway writes.
 *
 * @throws SublError `ledger_missing` (or no ledger), `ledger_unsafe`, `ledger_corrupt`.
 */
export function openReadOnly(path: string): Database {
  const db = openExisting(path, true, READER_WAIT_MS);
  try {
    db.pragma('trusted_schema=OFF');
    db.pragma('cell_size_check=ON');
    db.pragma('query_only=ON');
    return db;
  } catch (error) {
    db.close();
    throw asLedgerError(path, error);
  }
}

/**
 * Opens a connection that could write and writes nothing, and has it find the log. Errors: those of
 * `openReadOnly`.
 */
export function openToTidy(path: string): Database {
  const db = openExisting(path, false, READER_WAIT_MS);
  try {
    db.pragma('query_only=ON');
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return db;
  } catch (error) {
    db.close();
    throw asLedgerError(path, error);
  }
}

function openExisting(path: string, readonly: boolean, timeout: number): Database {
  let db: Database | undefined;
  try {
    assertDatabaseFile(path);
    db = holdStatements(openDatabase(path, { fileMustExist: true, readonly, timeout }));
    lookAt(db, path);
    return db;
  } catch (error) {
    db?.close();
    throw asLedgerError(path, error);
  }
}

/** The first read tells what is no database at all; what is damaged is for whoever asks to find. */
function lookAt(db: Database, path: string): void {
  try {
    db.pragma('schema_version');
  } catch (error) {
    const { code } = error instanceof SqliteError ? error : { code: '' };
    if (code === 'SQLITE_NOTADB') assertMagic(path);
    else if (!code.startsWith('SQLITE_CORRUPT')) throw error;
  }
}

function writerSettings(durability: Durability): readonly (readonly [string, string | number])[] {
  return [
    ['journal_mode', 'wal'],
    ['synchronous', SYNCHRONOUS[durability]],
    ['recursive_triggers', 1],
    ['trusted_schema', 0],
    ['cell_size_check', 1],
    ['temp_store', TEMP_STORE_MEMORY],
    // From the first entry on: a page that is shared out anew would keep a copy that no deletion of a preview
    // finds.
    ['secure_delete', 1],
  ];
}

/**
 * The state of the ledger that an error of SQLite tells of: damaged, which no retry mends, or not to be
 * opened for the moment.
 */
export function asLedgerError(path: string, error: unknown): SublError {
  if (error instanceof SublError) return error;
  if (error instanceof SqliteError && error.code === 'SQLITE_NOTADB') {
    return new SublError('ledger_corrupt', `the header of \`${path}\` is damaged`, { cause: error });
  }
  if (error instanceof SqliteError && error.code.startsWith('SQLITE_CORRUPT')) {
    return new SublError('ledger_corrupt', `pages of \`${path}\` are damaged`, {
      cause: error,
      help: '`sub audit verify` says what is left; restore a backup with `sub audit restore`, or set this ledger aside with `sub up --new-ledger`',
    });
  }
  if (error instanceof SqliteError && error.code === 'SQLITE_READONLY_ROLLBACK') {
    return cutOff(path, error);
  }
  return unsafe(path, error instanceof Error ? error.message : String(error), error);
}

function unsafe(path: string, why: string, cause?: unknown): SublError {
  return new SublError('ledger_unsafe', `the ledger \`${path}\` cannot be opened safely: ${why}`, { cause });
}
