import type { Database } from 'better-sqlite3';

/**
 * The policies that live runs brought along, written before the `run_start` that names their hash. Unlike
 * their text in the ledger they never expire; a run whose policy is not here does not go on.
 */
export class RunPolicyStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Also forgets those of runs that have ended. */
  add(runId: string, plain: string): void {
    this.#db.transaction(() => {
      this.#db.exec('DELETE FROM run_policy WHERE run_id NOT IN (SELECT id FROM live_run)');
      this.#db.prepare('INSERT INTO run_policy VALUES(?, ?)').run(runId, plain);
    })();
  }

  read(runId: string): string | undefined {
    return this.#db
      .prepare<[string], string>('SELECT plain FROM run_policy WHERE run_id = ?')
      .pluck()
      .get(runId);
  }
}
