import type { Database } from 'better-sqlite3';

/** The text of the policy that was loaded last. */
export interface StoredPolicy {
  readonly source: string;
  readonly hash: string;
}

/**
 * Keeps the last good policy across restarts, so that removing or breaking the file removes no rule. ARCHITECTURE.md,
 * "Policy".
 */
export class PolicyStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    db.exec(`CREATE TABLE IF NOT EXISTS policy(
  id INTEGER PRIMARY KEY CHECK(id=1),
  source TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT`);
  }

  read(): StoredPolicy | undefined {
    return this.#db.prepare<[], StoredPolicy>('SELECT source, hash FROM policy').get();
  }

  write(policy: StoredPolicy): void {
    this.#db
      .prepare(
        'INSERT INTO policy VALUES(1, ?, ?) ON CONFLICT(id) DO UPDATE SET source=excluded.source, hash=excluded.hash',
      )
      .run(policy.source, policy.hash);
  }
}
