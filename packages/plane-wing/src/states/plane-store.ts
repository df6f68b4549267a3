import { isJsonObject, isSublError, type JsonValue, parseJson } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';

/** Rows that are kept; those that were used least recently go. */
const MAX_ROWS = 4096;

/** A row to write. */
export interface PlaneRow {
  readonly key: string;
  /** Plain JSON. */
  readonly kept: object;
  readonly usedMs: number;
}

/** The rows of the plane in `gateway.db`. Each can be lost. */
export class PlaneStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** A row as it was written; undefined where there is none that can be read. */
  read(key: string): JsonValue | undefined {
    const text = this.#db.prepare<[string], string>('SELECT kept FROM plane WHERE key=?').pluck().get(key);
    if (text === undefined) return undefined;
    try {
      const kept = parseJson(text);
      return isJsonObject(kept) ? kept : undefined;
    } catch (error) {
      if (!isSublError(error)) throw error;
      return undefined;
    }
  }

  /** Writes rows together, and lets go of the oldest of too many states. */
  write(rows: readonly PlaneRow[]): void {
    const put = this.#db.prepare<[string, string, number]>(
      'INSERT INTO plane(key, kept, used_ms) VALUES(?, ?, ?) ON CONFLICT(key) DO UPDATE SET kept=excluded.kept, used_ms=excluded.used_ms',
    );
    const drop = this.#db.prepare<[number]>(
      "DELETE FROM plane WHERE key IN (SELECT key FROM plane WHERE key NOT IN ('mark', 'baselines', 'links') ORDER BY used_ms DESC LIMIT -1 OFFSET ?)",
    );
    this.#db.transaction(() => {
      for (const { key, kept, usedMs } of rows) put.run(key, JSON.stringify(kept), usedMs);
      drop.run(MAX_ROWS);
    })();
  }
}
