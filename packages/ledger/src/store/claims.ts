import type { Database, Statement } from 'better-sqlite3';
import { ManyRows } from './many-rows.js';

/** Request ids that runs have claimed in this file, those that wait for the end of a commit included. */
export class Claims {
  readonly #find: Statement<[string, number], number>;
  readonly #rows: ManyRows;
  readonly #waiting = new Map<string, number>();

  constructor(db: Database) {
    this.#find = db.prepare<[string, number], number>('SELECT seq FROM seen WHERE id=? AND run=?').pluck();
    this.#rows = new ManyRows(db, 'seen', ['run', 'id', 'seq']);
  }

  /** The entry that has claimed `id` for `run`, a number of `dict` or 0. */
  find(run: number, id: string): number | undefined {
    return this.#waiting.get(keyOf(run, id)) ?? this.#find.get(id, run);
  }

  /** Claims `id` for `run`. Call inside the transaction. */
  add(run: number, id: string, seq: number): void {
    this.#waiting.set(keyOf(run, id), seq);
    this.#rows.add(run, id, seq);
  }

  /** Writes what waits. Call before COMMIT. */
  flush(): void {
    this.#rows.flush();
    this.#waiting.clear();
  }
}

function keyOf(run: number, id: string): string {
  return `${run} ${id}`;
}
