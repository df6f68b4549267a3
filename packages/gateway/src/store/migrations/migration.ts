import type { Database } from 'better-sqlite3';

/** One step from a version of `gateway.db` to the next. What was released never changes. */
export interface Migration {
  /** `PRAGMA user_version` after it. */
  readonly version: number;
  /** Runs in the transaction that raises the version: no statement in it may commit or need another one. */
  readonly up: (db: Database) => void;
}
