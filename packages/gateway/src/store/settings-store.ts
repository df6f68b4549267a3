import { GatewayConfig } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';

/** The settings that the last gateway of the home had in force. A start compares its own with them. */
export class SettingsStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    db.exec(`CREATE TABLE IF NOT EXISTS settings(
  id INTEGER PRIMARY KEY CHECK(id=1),
  settings TEXT NOT NULL
) STRICT`);
  }

  /** Undefined before the first start, and where another version wrote what this one does not know. */
  read(): GatewayConfig | undefined {
    const row = this.#db.prepare<[], { settings: string }>('SELECT settings FROM settings').get();
    if (row === undefined) return undefined;
    const checked = GatewayConfig.safeParse(JSON.parse(row.settings));
    return checked.success ? checked.data : undefined;
  }

  write(settings: GatewayConfig): void {
    this.#db
      .prepare(
        'INSERT INTO settings(id, settings) VALUES(1, ?) ON CONFLICT(id) DO UPDATE SET settings = excluded.settings',
      )
      .run(JSON.stringify(settings));
  }
}
