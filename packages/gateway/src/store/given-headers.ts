import type { Database } from 'better-sqlite3';

/**
 * Which remote servers of live runs were given secrets in headers. Secrets stand in no record of a run that
 * were given to one of its servers, also after a restart.
 */
export class GivenHeaders {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Forgets those of runs that have ended. */
  add(runId: string, serverName: string): void {
    this.#db.transaction(() => {
      this.#db.prepare('DELETE FROM given_header WHERE run_id NOT IN (SELECT id FROM live_run)').run();
      this.#db.prepare('INSERT OR IGNORE INTO given_header VALUES(?, ?)').run(runId, serverName);
    })();
  }

  all(): readonly { readonly runId: string; readonly serverName: string }[] {
    return this.#db
      .prepare<[], { runId: string; serverName: string }>(
        `SELECT run_id AS runId, server_name AS serverName FROM given_header
         WHERE run_id IN (SELECT id FROM live_run)`,
      )
      .all();
  }
}
