import { isSublError, SublError } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { statSync } from 'node:fs';
import { loadGenesis } from '../genesis/load.js';
import type { Genesis } from '../genesis/record.js';
import { corrupt } from '../head/row.js';
import { asLedgerError, openReadOnly } from '../schema/connection.js';
import { readBase, type Base } from '../segments/base.js';
import type { ClosedSegment } from '../segments/closed.js';

/** One file of a ledger, open for reading. */
export interface OpenFile {
  readonly db: Database;
  readonly path: string;
  readonly genesis: Genesis;
  readonly base: Base;
  /** The last entry of a closed file; undefined for the newest, which may grow. */
  readonly end: number | undefined;
}

/** More files than follow one another while one is opened. */
const TRIES = 16;

/** Which file stands at a path. */
export function identityOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? 'none' : `${stats.dev} ${stats.ino}`;
}

/**
 * Opens the newest file of a ledger. Another may take its place until the first lock is there, and SQLite
 * would read the one with the write-ahead log of the other; so what is opened counts only if it is still the
 * one at `path`. From then on it stays there until the connection is closed: one that has no write-ahead log
 * (it ends just now, or is a copy) is held by a transaction.
 *
 * @throws SublError `ledger_missing`, `ledger_corrupt` (not a ledger), `ledger_unsafe`, `not_available`.
 */
export function openPresent(path: string): OpenFile {
  for (let left = TRIES; ; left -= 1) {
    const identity = identityOf(path);
    const db = openReadOnly(path);
    let failure: unknown;
    try {
      const file = hold(db, path);
      if (identityOf(path) === identity) return file;
    } catch (error) {
      failure = error;
    }
    db.close();
    // An answer that was read while another file took the place says nothing.
    if (failure !== undefined && identityOf(path) === identity) throw notALedger(path, failure);
    if (left === 0) {
      const help = 'try again; something replaces it all the time';
      throw new SublError('ledger_unsafe', `\`${path}\` is never the same file twice`, { help });
    }
  }
}

/**
 * Opens a closed file of the ledger with that genesis record.
 *
 * @throws SublError `ledger_corrupt` where it does not hold what its name says, `ledger_unsafe`.
 */
export function openClosed(place: ClosedSegment, genesis: Genesis): OpenFile {
  const { path, number, first, last } = place;
  const db = openNamed(path);
  try {
    const file = facts(db, path, genesis);
    const { segment, seq } = file.base;
    const end = db.prepare<[], number>('SELECT max(seq) FROM entry').pluck().get();
    const isIt = segment === number && seq === first - 1 && end === last;
    if (isIt && file.genesis.fingerprint === genesis.fingerprint) return { ...file, end };
    throw corrupt(path, 'it is not the file of this ledger that its name says');
  } catch (error) {
    db.close();
    throw notALedger(path, error);
  }
}

/** A file that has the name of a closed one has been one: that it is no ledger now is damage. */
function openNamed(path: string): Database {
  try {
    return openReadOnly(path);
  } catch (error) {
    if (!isSublError(error, 'ledger_missing')) throw error;
    throw new SublError('ledger_corrupt', `\`${path}\` is not the closed file that its name says`, {
      cause: error,
      help: 'put the file back from a backup; moved away, it counts as one that is not there',
    });
  }
}

function hold(db: Database, path: string): OpenFile {
  db.exec('BEGIN');
  const file = facts(db, path);
  if (db.pragma('journal_mode', { simple: true }) === 'wal') db.exec('COMMIT');
  return file;
}

function facts(db: Database, path: string, known?: Genesis): OpenFile {
  const genesis = loadGenesis(db, path, known);
  const base = readBase(db);
  if (base === undefined) throw corrupt(path, 'it does not say where it begins');
  return { db, path, genesis, base, end: undefined };
}

function notALedger(path: string, cause: unknown): SublError {
  if (cause instanceof SublError) return cause;
  const known = asLedgerError(path, cause);
  if (known.code !== 'ledger_unsafe') return known;
  const isSchema = cause instanceof Error && /no such (?:table|column)/.test(cause.message);
  return isSchema
    ? new SublError('ledger_corrupt', `\`${path}\` is not a ledger of this version`, { cause })
    : known;
}
