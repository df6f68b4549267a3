import type { Database } from 'better-sqlite3';

/** The text of a project's policy that the operator trusts. */
export interface TrustedText {
  /** The path of the file. */
  readonly file: string;
  readonly sha256: string;
  readonly text: string;
  readonly trustedMs: number;
}

/** Keeps the policies of projects that are trusted, and which of them live runs have entered. */
export class ProjectStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  all(): readonly TrustedText[] {
    return this.#db
      .prepare<[], TrustedText>(
        'SELECT file, sha256, text, trusted_ms AS trustedMs FROM project_policy ORDER BY file',
      )
      .all();
  }

  write({ file, sha256, text, trustedMs }: TrustedText): void {
    this.#db
      .prepare('INSERT OR REPLACE INTO project_policy VALUES(?, ?, ?, ?)')
      .run(file, sha256, text, trustedMs);
  }

  remove(file: string): void {
    this.#db.prepare('DELETE FROM project_policy WHERE file = ?').run(file);
  }

  /** A run is bound by the policy of that file until it ends. Also forgets those of runs that have ended. */
  enter(runId: string, file: string): void {
    this.#db.transaction(() => {
      this.#db.exec('DELETE FROM run_project WHERE run_id NOT IN (SELECT id FROM live_run)');
      this.#db.prepare('INSERT OR IGNORE INTO run_project VALUES(?, ?)').run(runId, file);
    })();
  }

  enteredBy(runId: string): readonly string[] {
    return this.#db
      .prepare<[string], string>('SELECT file FROM run_project WHERE run_id = ? ORDER BY file')
      .pluck()
      .all(runId);
  }
}
