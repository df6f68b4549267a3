import type { Database } from 'better-sqlite3';

/**
 * The ids of runs that may live, written before their `run_start` and removed after their `run_end`: the
 * index that spares a restart from reading the whole ledger. What a run is stands in the ledger alone.
 */
export class LiveRuns {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  add(id: string): void {
    this.#db.prepare('INSERT INTO live_run(id) VALUES(?)').run(id);
  }

  remove(id: string): void {
    this.#db.prepare('DELETE FROM live_run WHERE id = ?').run(id);
  }

  all(): string[] {
    return this.#db.prepare<[], string>('SELECT id FROM live_run ORDER BY id').pluck().all();
  }
}
