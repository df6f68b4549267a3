import type { Database, Statement } from 'better-sqlite3';

/** A value of a column. */
export type Bound = number | string | null | Uint8Array;

/** Rows of one statement, largest first. A call has three entries, two blobs and one claim. */
const SIZES: readonly number[] = [16, 8, 4, 3, 2, 1];

/** The most rows that wait. */
export const MOST_ROWS = 16;

/**
 * Rows on their way into a table, many in one statement: what a statement costs whatever it inserts is a good
 * part of what a row costs. Call inside a transaction; whoever reads the table calls `flush` before.
 */
export class ManyRows {
  readonly #width: number;
  readonly #statements: readonly (readonly [rows: number, statement: Statement<Bound[]>])[];
  #bound: Bound[] = [];
  #rows = 0;

  constructor(db: Database, table: string, columns: readonly string[]) {
    this.#width = columns.length;
    const row = `(${columns.map(() => '?').join(',')})`;
    this.#statements = SIZES.map((rows) => {
      const values = Array.from({ length: rows }, () => row).join(',');
      return [rows, db.prepare<Bound[]>(`INSERT INTO ${table}(${columns.join(',')}) VALUES${values}`)];
    });
  }

  /** How many rows wait. */
  get waiting(): number {
    return this.#rows;
  }

  /** Adds a row, its values in the order of the columns. Where no more may wait, those are written first. */
  add(...values: readonly Bound[]): void {
    if (this.#rows === MOST_ROWS) this.flush();
    this.#bound.push(...values);
    this.#rows += 1;
  }

  /** Writes what waits. */
  flush(): void {
    if (this.#rows === 0) return;
    const bound = this.#bound;
    let left = this.#rows;
    this.#bound = [];
    this.#rows = 0;
    for (const [rows, statement] of this.#statements) {
      for (; left >= rows; left -= rows) statement.run(...bound.splice(0, rows * this.#width));
    }
  }
}
