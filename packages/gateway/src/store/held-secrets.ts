import type { SecretSource } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';

/** A secret of a live run's server: how to know its value again, and where it was read. */
export interface HeldSecret {
  /** Tells nothing of the value. */
  readonly mark: string;
  readonly name: string;
  readonly source: SecretSource;
  readonly secretRef: string;
}

/**
 * Which secrets the servers of live runs have, or had: no record of such a run holds one, also after a
 * restart.
 */
export class HeldSecretStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  add(runId: string, secrets: readonly HeldSecret[]): void {
    const insert = this.#db.prepare('INSERT OR IGNORE INTO held_secret VALUES(?, ?, ?, ?, ?)');
    this.#db.transaction(() => {
      for (const { mark, name, source, secretRef } of secrets)
        insert.run(runId, mark, name, source, secretRef);
    })();
  }

  /** The run has ended. */
  remove(runId: string): void {
    this.#db.prepare('DELETE FROM held_secret WHERE run_id = ?').run(runId);
  }

  all(): readonly (HeldSecret & { readonly runId: string })[] {
    return this.#db
      .prepare<[], HeldSecret & { runId: string }>(
        'SELECT run_id AS runId, mark, name, source, secret_ref AS secretRef FROM held_secret ORDER BY run_id, mark',
      )
      .all();
  }
}
