import type { Database } from 'better-sqlite3';
import { identityOf } from '../read/open-file.js';
import { BLOCK_ENTRIES } from './block.js';
import { indexPath, openForAsking, stateOf } from './schema.js';
import { SqliteError } from '../sqlite/open.js';

/** Entries `first` to `last`, both included. */
export type Range = readonly [first: number, last: number];

/** A question to the index. An entry has to fit all of it. */
export interface Sought {
  /** Numbers of `markOf`: one of them has to occur. */
  readonly marks?: readonly number[];
  /** Epoch milliseconds, both included. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** Narrows a search down to ranges of entries. It may give too many, and never too few. */
export interface Narrowing {
  /** Ranges within `first` … `last` that may hold what is sought; ascending, none touching another. */
  ranges(sought: Sought, first: number, last: number): Range[];
}

/** Narrows nothing: everything has to be looked through. */
export const NO_INDEX: Narrowing = {
  ranges: (_, first, last) => within([[first, last]], first, last),
};

/** Where the ledger is read, as far as an index has to be held against it. */
export interface IndexedLedger {
  readonly path: string;
  /** The genesis fingerprint. */
  readonly ledger: () => string;
  /** The leaf of an entry, lowercase hex; undefined where it is not there. */
  readonly leafOf: (seq: number) => string | undefined;
}

/**
 * The index beside a ledger, for reading. It is held against the ledger with each question: one of another
 * history, one that is damaged, or none at all narrows nothing. It is never proof: whoever writes to the file
 * can keep entries out of a listing. No verification, no limit and no decision asks it.
 */
export class LedgerIndex implements Narrowing {
  readonly #of: IndexedLedger;
  readonly #file: string;
  #open: { readonly db: Database; readonly identity: string } | undefined;

  constructor(of: IndexedLedger) {
    this.#of = of;
    this.#file = indexPath(of.path);
  }

  ranges(sought: Sought, first: number, last: number): Range[] {
    return (
      this.#ask((db) =>
        // One moment for both: a block that is added between them would be in neither.
        db.transaction(() =>
          within([...gaps(db, first, last), ...fitting(db, sought, first, last)], first, last),
        )(),
      ) ?? NO_INDEX.ranges(sought, first, last)
    );
  }

  /** Lets go of the file until the next question. */
  release(): void {
    this.#open?.db.close();
    this.#open = undefined;
  }

  /** Undefined where no index can be asked. */
  #ask<T>(question: (db: Database) => T): T | undefined {
    try {
      const db = this.#opened();
      if (db === undefined) return undefined;
      const state = stateOf(db);
      const isOfHistory = state?.ledger === this.#of.ledger() && this.#of.leafOf(state.upTo) === state.leaf;
      return isOfHistory ? question(db) : undefined;
    } catch (error) {
      if (!(error instanceof SqliteError)) throw error;
      this.release();
      return undefined;
    }
  }

  #opened(): Database | undefined {
    const identity = identityOf(this.#file);
    if (this.#open?.identity === identity) return this.#open.db;
    this.release();
    const db = identity === 'none' ? undefined : openForAsking(this.#file);
    if (db !== undefined) this.#open = { db, identity };
    return db;
  }
}

/** The ranges that no block covers. */
function gaps(db: Database, first: number, last: number): Range[] {
  const covered = db.prepare<[number, number], { first: number; last: number }>(
    'SELECT first, last FROM covered WHERE first <= ? AND last >= ? ORDER BY first',
  );
  const found: Range[] = [];
  let next = first;
  for (const one of covered.all(last, first)) {
    if (one.first > next) found.push([next, one.first - 1]);
    next = Math.max(next, one.last + 1);
  }
  return next <= last ? [...found, [next, last]] : found;
}

function fitting(db: Database, { marks, fromMs, toMs }: Sought, first: number, last: number): Range[] {
  const times = 'max_ts >= ? AND min_ts <= ?';
  const [from, to] = [fromMs ?? 0, toMs ?? Number.MAX_SAFE_INTEGER];
  // A block may begin before the first entry that is sought.
  const start = first - BLOCK_ENTRIES + 1;
  if (marks === undefined) {
    const blocks = db.prepare<number[], Range>(
      `SELECT first, last FROM block WHERE first BETWEEN ? AND ? AND ${times}`,
    );
    return blocks.raw().all(start, last, from, to);
  }
  const blocks = db.prepare<number[], Range>(
    `SELECT first, last FROM mark JOIN block ON first = block
    WHERE value = ? AND block BETWEEN ? AND ? AND ${times}`,
  );
  return marks.flatMap((value) => blocks.raw().all(value, start, last, from, to));
}

/** Ranges in their order, cut to a larger one, those that touch made one. */
function within(ranges: readonly Range[], first: number, last: number): Range[] {
  const merged: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const cut: [number, number] = [Math.max(from, first), Math.min(to, last)];
    const before = merged.at(-1);
    if (cut[0] > cut[1]) continue;
    if (before !== undefined && cut[0] <= before[1] + 1) before[1] = Math.max(before[1], cut[1]);
    else merged.push(cut);
  }
  return merged;
}
