import type { Database } from 'better-sqlite3';
import { findPlaces } from '../read/places.js';
import { openReadOnly } from '../schema/connection.js';
import type { Base } from '../segments/base.js';
import type { ClosedSegment } from '../segments/closed.js';
import { BLOCK_ENTRIES, readBlock, type Block } from './block.js';
import { indexPath, openForFilling, removeIndex, stateOf } from './schema.js';
import { SqliteError } from '../sqlite/open.js';

/** The ledger that an index is made of. */
export interface FillerParts {
  /** The newest file, open. */
  readonly db: Database;
  readonly base: Pick<Base, 'segment' | 'seq'>;
  /** The genesis fingerprint. */
  readonly ledger: string;
}

/** How far an index goes. */
export interface IndexReport {
  /** Every entry up to this one has been looked at, or stands in a file that is not there. */
  readonly upTo: number;
  /** Why the index cannot be kept; null while it can. Questions are then answered from the ledger alone. */
  readonly failure: string | null;
}

interface Source {
  readonly db: Database;
  readonly place: ClosedSegment | undefined;
}

/**
 * Keeps `index.db` behind the ledger, a block at a time, in the thread of the ledger's writer: a step takes
 * 0.7 ms, and every hundredth also moves SQLite's log into the file. An error here is the index's alone: the
 * index is closed, and the ledger goes on.
 */
export class Filler {
  readonly #parts: FillerParts;
  readonly #file: string;
  /** Newest first. */
  readonly #places: readonly ClosedSegment[];
  #index: Database | undefined;
  #source: Source | undefined;
  #next = 1;
  #failure: string | null = null;

  constructor(parts: FillerParts) {
    this.#parts = parts;
    const { name } = parts.db;
    this.#file = indexPath(name);
    const { chain, beyond } = findPlaces(name, parts.base);
    this.#places = [...chain, ...beyond];
  }

  /** Adds the next block, where there is a whole one, or the rest of a closed file. */
  step(): IndexReport {
    if (this.#failure === null) {
      try {
        this.#add(this.#opened());
      } catch (error) {
        // Somebody holds the index for a moment: the next step tries again.
        if (!isBusy(error)) this.#failure = error instanceof Error ? error.message : String(error);
        this.close();
      }
    }
    return { upTo: this.#next - 1, failure: this.#failure };
  }

  /** Closes what is open; never fails. */
  close(): void {
    for (const db of [this.#index, this.#source?.place === undefined ? undefined : this.#source.db])
      db?.close();
    this.#index = undefined;
    this.#source = undefined;
  }

  #opened(): Database {
    this.#index ??= this.#open();
    return this.#index;
  }

  /** An index of another history says nothing: it is made anew. */
  #open(): Database {
    let index = openForFilling(this.#file);
    const state = stateOf(index);
    if (
      state !== undefined &&
      (state.ledger !== this.#parts.ledger || this.#leafOf(state.upTo) !== state.leaf)
    ) {
      index.close();
      removeIndex(this.#file);
      index = openForFilling(this.#file);
    }
    this.#next = this.#uncovered(index, 1);
    return index;
  }

  #add(index: Database): void {
    const source = this.#holding(this.#next);
    if (source === undefined) return;
    const block = readBlock(source.db, this.#next - 1);
    if (block === undefined) return;
    if (source.place === undefined && block.last - block.first + 1 < BLOCK_ENTRIES) return;
    index.transaction(() => this.#write(index, block))();
    this.#next = this.#uncovered(index, block.last + 1);
  }

  #write(index: Database, { first, last, leaf, minTs, maxTs, marks }: Block): void {
    index
      .prepare('INSERT INTO block(first, last, min_ts, max_ts) VALUES(?,?,?,?)')
      .run(first, last, minTs, maxTs);
    const mark = index.prepare<[number, number]>('INSERT INTO mark(value, block) VALUES(?,?)');
    for (const value of marks) mark.run(value, first);
    const { changes } = index.prepare('UPDATE covered SET last = ? WHERE last = ?').run(last, first - 1);
    if (changes === 0) index.prepare('INSERT INTO covered(first, last) VALUES(?,?)').run(first, last);
    index
      .prepare(
        `INSERT INTO state(id, ledger, up_to, leaf) VALUES(1,?,?,?)
        ON CONFLICT(id) DO UPDATE SET up_to = excluded.up_to, leaf = excluded.leaf WHERE up_to < excluded.up_to`,
      )
      .run(this.#parts.ledger, last, leaf);
  }

  /** The first entry from `seq` on that is in no covered range, and in no file that is missing. */
  #uncovered(index: Database, seq: number): number {
    const covering = index
      .prepare<[number, number], number>('SELECT last FROM covered WHERE first <= ? AND last >= ?')
      .pluck();
    for (let next = seq; ;) {
      const last = covering.get(next, next) ?? this.#missingUpTo(next);
      if (last === undefined) return next;
      next = last + 1;
    }
  }

  /** The last entry of a gap in which an entry lies; undefined where its file is there. */
  #missingUpTo(seq: number): number | undefined {
    if (seq > this.#parts.base.seq || this.#places.some(({ first, last }) => first <= seq && seq <= last))
      return undefined;
    const next = this.#places.findLast(({ first }) => first > seq);
    return next === undefined ? this.#parts.base.seq : next.first - 1;
  }

  #holding(seq: number): Source | undefined {
    const known = this.#source?.place;
    if (known !== undefined && known.first <= seq && seq <= known.last) return this.#source;
    if (known !== undefined) this.#source?.db.close();
    const { db, base } = this.#parts;
    const place = this.#places.find(({ first, last }) => first <= seq && seq <= last);
    this.#source =
      seq > base.seq
        ? { db, place: undefined }
        : place === undefined
          ? undefined
          : { db: openReadOnly(place.path), place };
    return this.#source;
  }

  #leafOf(seq: number): string | undefined {
    const leaf = this.#holding(seq)
      ?.db.prepare<[number], Buffer>('SELECT hash FROM entry WHERE seq = ?')
      .pluck()
      .get(seq);
    return leaf?.toString('hex');
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SqliteError && error.code.startsWith('SQLITE_BUSY');
}
