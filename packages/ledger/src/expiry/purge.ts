import type { Database, Statement } from 'better-sqlite3';
import { existsSync } from 'node:fs';
import { findPlaces } from '../read/places.js';
import { BLOBS_AN_ENTRY } from '../schema/ddl.js';
import { readBase } from '../segments/base.js';
import type { ClosedSegment } from '../segments/closed.js';
import { inClosedFile } from './closed-file.js';
import { expiredUpTo } from './stored.js';

/** What one step of a purge did. */
export interface PurgeReport {
  /** Previews that are gone. */
  readonly deleted: number;
  /** True while expired previews are left. */
  readonly more: boolean;
  /**
   * True once the log that SQLite writes ahead holds none of them either; false while a reader keeps one in a
   * file.
   */
  readonly settled: boolean;
}

/** What there is besides the file that is written. */
interface Closed {
  /** Oldest first. */
  readonly files: readonly ClosedSegment[];
  /** The last entry whose previews have expired by what they say. */
  readonly upTo: number;
  /** False where one could not be read that may say more. */
  readonly isKnown: boolean;
}

/**
 * As many previews as a step deletes: at 16 KB each it holds up the next commit about as long as a full one.
 */
const STEP = 64;
/** As many closed files as a step looks into, while nothing keeps it from any. */
const LOOKS = 16;

const END = `SELECT max(seq) FROM (SELECT seq FROM blob WHERE id < (?+1)*${BLOBS_AN_ENTRY} ORDER BY id LIMIT ${STEP})`;
const DELETE = `DELETE FROM blob WHERE id < (?+1)*${BLOBS_AN_ENTRY}`;

/**
 * Deletes what an entry says has expired, and nothing else: what may go is read from the ledger itself. The
 * bytes are overwritten in the file (`secure_delete`, which the writer's connection has on), and the log is
 * cut off behind them; first in the file that is written, then in those that are closed. A crash between
 * steps leaves previews that have expired, which is no contradiction; the next purge goes on.
 */
export class Purger {
  readonly #db: Database;
  readonly #end: Statement<[number], number | null>;
  readonly #delete: Statement<[number]>;
  /** By path of a closed file, up to where nothing is left in it. */
  readonly #clean = new Map<string, number>();
  #closed: Closed | undefined;

  constructor(db: Database) {
    this.#db = db;
    this.#end = db.prepare<[number], number | null>(END).pluck();
    this.#delete = db.prepare(DELETE);
  }

  /** One step, in a transaction of its own. Call outside of any other. */
  step(): PurgeReport {
    // Closed files say nothing new: what they say is read once.
    this.#closed ??= lookBack(this.#db);
    const upTo = expiredUpTo(this.#db) || this.#closed.upTo;
    const end = this.#end.get(upTo);
    if (end === undefined || end === null) return this.#stepBack(this.#closed, upTo);
    const { changes } = this.#delete.run(end);
    return { deleted: changes, more: true, settled: false };
  }

  /** The step where nothing is left in the file that is written. */
  #stepBack({ files, isKnown }: Closed, upTo: number): PurgeReport {
    let looks = 0;
    let settled = isKnown;
    for (const { path, first, last } of files) {
      const goal = Math.min(last, upTo);
      if (first > upTo || (this.#clean.get(path) ?? 0) >= goal || !existsSync(path)) continue;
      const deleted = inClosedFile(path, (db) => deleteStep(db, goal));
      if (deleted === 'failed') settled = false;
      else if (deleted > 0) return { deleted, more: true, settled: false };
      else this.#clean.set(path, goal);
      looks += 1;
      if (looks === LOOKS && settled) return { deleted: 0, more: true, settled: false };
    }
    return { deleted: 0, more: false, settled: this.#cutOff() && settled };
  }

  /**
   * Moves the log into the file and cuts it to nothing, unless a reader still needs it: nobody is waited for.
   */
  #cutOff(): boolean {
    const wait = this.#db.pragma('busy_timeout', { simple: true });
    this.#db.pragma('busy_timeout=0');
    try {
      return this.#db.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0;
    } finally {
      this.#db.pragma(`busy_timeout=${Number(wait)}`);
    }
  }
}

function deleteStep(db: Database, goal: number): number {
  const end = db.prepare<[number], number | null>(END).pluck().get(goal);
  return end === undefined || end === null ? 0 : db.prepare(DELETE).run(end).changes;
}

function lookBack(db: Database): Closed {
  const base = readBase(db);
  if (base === undefined) return { files: [], upTo: 0, isKnown: true };
  const { chain, beyond } = findPlaces(db.name, base);
  const files = [...chain, ...beyond].toReversed();
  let isKnown = true;
  for (const { path } of chain) {
    const upTo = inClosedFile(path, expiredUpTo);
    // What an older one says has expired has expired, whatever this one would add to it.
    if (upTo === 'failed') isKnown = false;
    else if (upTo > 0) return { files, upTo, isKnown };
  }
  return { files, upTo: 0, isKnown };
}
