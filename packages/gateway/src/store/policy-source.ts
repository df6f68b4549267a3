import type { Database } from 'better-sqlite3';

/** The text of the policy that was loaded last. */
export interface StoredPolicy {
  readonly source: string;
  readonly hash: string;
  /** The note that it was accepted by, null where none was asked for. */
  readonly signature: string | null;
}

/** What outlives every policy: the newest signed one that was loaded. */
export interface StoredSerial {
  readonly serial: number;
  readonly fileSha256: string;
}

/**
 * Keeps the last good policy across restarts, so that removing or breaking the file removes no rule, and the
 * highest serial of a signed one, so that no older one comes back. ARCHITECTURE.md, "Policy".
 */
export class PolicyStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  read(): StoredPolicy | undefined {
    return this.#db
      .prepare<[], StoredPolicy>(
        'SELECT source, policy.hash, note AS signature FROM policy LEFT JOIN policy_signature ON policy_signature.hash=policy.hash',
      )
      .get();
  }

  lastSigned(): StoredSerial | undefined {
    return this.#db
      .prepare<[], StoredSerial>('SELECT serial, file_sha256 AS fileSha256 FROM policy_signature')
      .get();
  }

  /** Both in one transaction. Without `signed` the last serial stays as it is. */
  write(policy: StoredPolicy, signed?: StoredSerial): void {
    this.#db.transaction(() => {
      this.#db
        .prepare(
          'INSERT INTO policy VALUES(1, ?, ?) ON CONFLICT(id) DO UPDATE SET source=excluded.source, hash=excluded.hash',
        )
        .run(policy.source, policy.hash);
      if (signed === undefined || policy.signature === null) return;
      this.#db
        .prepare(
          `INSERT INTO policy_signature VALUES(1, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE
SET note=excluded.note, hash=excluded.hash, serial=excluded.serial, file_sha256=excluded.file_sha256`,
        )
        .run(policy.signature, policy.hash, signed.serial, signed.fileSha256);
    })();
  }
}
