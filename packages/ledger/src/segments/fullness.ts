import type { Database } from 'better-sqlite3';
import { TILE_WIDTH } from '../merkle/tiles.js';

/** A full file that somebody reads is asked again after so long, and not with every commit. */
const ASK_AGAIN_MS = 250;
/** A file that goes on from another holds the entry that says so; it does not end with that. */
const FEWEST_ENTRIES = 2;

export interface FullnessOptions {
  readonly db: Database;
  /** Where the file begins. */
  readonly base: { readonly seq: number };
  /** The file is full with so many bytes. */
  readonly segmentBytes: number;
}

/** Tells whether a file of the ledger is full, so that another one is due. */
export class Fullness {
  readonly #options: FullnessOptions;
  #isFull = false;
  /** When a file that is full and could not end is to be asked again; on a monotonic clock. */
  #askAgainMs = Number.POSITIVE_INFINITY;

  constructor(options: FullnessOptions) {
    this.#options = options;
  }

  /** Whether another file is due, as of the last `measure`, or a while after it could not be had. */
  get isDue(): boolean {
    if (this.#isFull) return true;
    return this.#askAgainMs !== Number.POSITIVE_INFINITY && performance.now() >= this.#askAgainMs;
  }

  /**
   * Looks at the file, which ends with entry `seq`. A new file holds the tiles of all before it; this one
   * takes at least as many entries, so that what is copied stays a small part of all that is written.
   */
  measure(seq: number): void {
    const { db, base, segmentBytes } = this.#options;
    const entries = seq - base.seq;
    const read = (name: string): number => Number(db.pragma(name, { simple: true }));
    this.#isFull =
      entries > FEWEST_ENTRIES &&
      entries >= base.seq / TILE_WIDTH &&
      read('page_count') * read('page_size') >= segmentBytes;
  }

  /**
   * Another file is asked for now. To try with every commit would cost each of them; to wait for the next
   * seal would meet the same reader, who follows the seals.
   */
  asked(): void {
    this.#isFull = false;
    this.#askAgainMs = performance.now() + ASK_AGAIN_MS;
  }
}
