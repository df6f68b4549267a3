import type { Speaks } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';

/** A version that has served the home; times in epoch milliseconds. */
export interface Served extends Speaks {
  readonly firstMs: number;
  /** When it last started. */
  readonly lastMs: number;
}

/** Which versions have served the home. */
export class ServedStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Notes that a version begins to serve. */
  note({ version, protocol }: Speaks, nowMs: number): void {
    this.#db
      .prepare(
        `INSERT INTO served VALUES(?, ?, ?, ?)
        ON CONFLICT(version) DO UPDATE SET protocol=excluded.protocol, last_ms=excluded.last_ms`,
      )
      .run(version, protocol, nowMs, nowMs);
  }

  /** Those that have, the latest first. */
  all(): Served[] {
    return this.#db
      .prepare<[], Served>(
        'SELECT version, protocol, first_ms AS firstMs, last_ms AS lastMs FROM served ORDER BY last_ms DESC, version',
      )
      .all();
  }
}
