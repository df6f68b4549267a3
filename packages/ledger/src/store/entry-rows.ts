import type { Database, Statement } from 'better-sqlite3';

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

type Bound = number | string | null | Buffer;

const COLUMNS = 'seq,ts,run,ref,kind,code,tool,body,hash';
const WIDTH = 9;
/** Rows of one statement, largest first. A call has three. */
const SIZES: readonly number[] = [16, 8, 4, 3, 2, 1];
const MOST_ROWS = 16;
const HASH_BYTES = 32;

/**
 * Rows of `entry` on their way into the table, many in one statement. For the condition of a partial index SQLite opens
 * a table of its own in memory, two in each statement whatever it inserts: with one row a statement that was half of what
 * a row cost. The triggers look at every row all the same. Who reads the table has waiting rows written first.
 */
export class EntryRows {
  readonly #statements: readonly (readonly [rows: number, statement: Statement<Bound[]>])[];
  readonly #hashes: readonly Buffer[];
  readonly #refs = new Set<number>();
  #bound: Bound[] = [];
  #rows = 0;
  #firstSeq = 0;

  constructor(db: Database) {
    this.#statements = SIZES.map((rows) => {
      const values = Array.from({ length: rows }, () => '(?,?,?,?,?,?,?,?,?)').join(',');
      return [rows, db.prepare<Bound[]>(`INSERT INTO entry(${COLUMNS}) VALUES${values}`)];
    });
    this.#hashes = Array.from({ length: MOST_ROWS }, () => Buffer.alloc(HASH_BYTES));
  }

  /** Adds the next row. `leaf`: its hash in hex. Call inside the transaction. */
  add(row: EntryRow, leaf: string): void {
    if (this.#rows === MOST_ROWS) this.flush();
    const hash = this.#hashes[this.#rows];
    // SQLite copies what is bound, so one set of buffers serves all rows.
    hash?.write(leaf, 'hex');
    if (this.#rows === 0) this.#firstSeq = row.seq;
    if (row.ref !== null) this.#refs.add(row.ref);
    const { seq, ts, run, ref, kind, code, tool, body } = row;
    this.#bound.push(seq, ts, run, ref, kind, code, tool, body, hash ?? null);
    this.#rows += 1;
  }

  /** Writes what waits where it is `seq` itself or refers to it. */
  settle(seq: number): void {
    if (this.#rows > 0 && (seq >= this.#firstSeq || this.#refs.has(seq))) this.flush();
  }

  /** Writes what waits. Call before COMMIT. */
  flush(): void {
    if (this.#rows === 0) return;
    const bound = this.#bound;
    let left = this.#rows;
    this.#bound = [];
    this.#rows = 0;
    this.#refs.clear();
    for (const [rows, statement] of this.#statements) {
      for (; left >= rows; left -= rows) statement.run(...bound.splice(0, rows * WIDTH));
    }
  }
}
