import type { GatewayConfig } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import type * as z from 'zod';

/**
 * Rises where a setting lets more pass than the same word did before (`loosenedSince`). Rows of before there
 * were numbers have none.
 */
const MEANING = 2;

/** Settings with what their words meant. */
export interface KeptSettings {
  readonly settings: GatewayConfig;
  readonly meaning: number;
}

/** The settings that the last gateway of the home had in force. A start compares its own with them. */
export class SettingsStore {
  readonly #db: Database;
  readonly #schema: z.ZodType<GatewayConfig>;

  constructor(db: Database, schema: z.ZodType<GatewayConfig>) {
    this.#db = db;
    this.#schema = schema;
  }

  /**
   * `none` before the first start. `unknown` where they were not kept, or another version wrote what this one
   * does not know.
   */
  read(): KeptSettings | 'none' | 'unknown' {
    const row = this.#db.prepare<[], { settings: string }>('SELECT settings FROM settings').get();
    if (row === undefined) return this.#wasServed() ? 'unknown' : 'none';
    const kept = JSON.parse(row.settings) as { readonly meaning?: number; readonly settings?: unknown };
    const { meaning = 1, settings = kept } = kept;
    const checked = this.#schema.safeParse(settings);
    return checked.success && meaning <= MEANING ? { settings: checked.data, meaning } : 'unknown';
  }

  write(settings: GatewayConfig): void {
    this.#db
      .prepare(
        'INSERT INTO settings(id, settings) VALUES(1, ?) ON CONFLICT(id) DO UPDATE SET settings = excluded.settings',
      )
      .run(JSON.stringify({ meaning: MEANING, settings }));
  }

  #wasServed(): boolean {
    return this.#db.prepare<[], number>('SELECT count(*) FROM served').pluck().get() !== 0;
  }
}
