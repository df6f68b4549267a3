import type { Database } from 'better-sqlite3';
import { ManyRows, MOST_ROWS } from './many-rows.js';

/** The columns of a row of `entry`, but for its hash. */
export interface EntryRow {
  readonly seq: number;
  readonly ts: number;
  readonly run: number | null;
  readonly ref: number | null;
  readonly kind: number;
  readonly code: number;
  readonly tool: number | null;
  readonly body: string;
}

const COLUMNS = ['seq', 'ts', 'run', 'ref', 'kind', 'code', 'tool', 'body', 'hash'];
const HASH_BYTES = 32;

/**
 * Rows of `entry` on their way into the table, many in one statement. For the condition of a partial index
 * SQLite opens a table of its own in memory, two in each statement whatever it inserts: with one row a
 * statement that was half of what a row cost. The triggers look at every row all the same. A reader of the
 * table has waiting rows written first.
 */
export class EntryRows {
  readonly #rows: ManyRows;
  readonly #hashes: readonly Buffer[];
  readonly #refs = new Set<number>();
  #firstSeq = 0;

  constructor(db: Database) {
    this.#rows = new ManyRows(db, 'entry', COLUMNS);
    this.#hashes = Array.from({ length: MOST_ROWS }, () => Buffer.alloc(HASH_BYTES));
  }

  /** Adds the next row. `leaf`: its hash in hex. Call inside the transaction. */
  add({ seq, ts, run, ref, kind, code, tool, body }: EntryRow, leaf: string): void {
    if (this.#rows.waiting === MOST_ROWS) this.flush();
    if (this.#rows.waiting === 0) this.#firstSeq = seq;
    if (ref !== null) this.#refs.add(ref);
    // SQLite copies what is bound, so one set of buffers serves all rows.
    const hash = this.#hashes[this.#rows.waiting];
    hash?.write(leaf, 'hex');
    this.#rows.add(seq, ts, run, ref, kind, code, tool, body, hash ?? null);
  }

  /** Writes what waits where it is `seq` itself or refers to it. */
  flushFor(seq: number): void {
    if (this.#rows.waiting > 0 && (seq >= this.#firstSeq || this.#refs.has(seq))) this.flush();
  }

  /** Writes what waits. Call before COMMIT. */
  flush(): void {
    this.#refs.clear();
    this.#rows.flush();
  }
}
