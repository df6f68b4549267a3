import type { PanicMark } from '@subluminal/ipc';
import type { Database } from 'better-sqlite3';

interface Row {
  readonly sinceMs: number;
  readonly reason: string;
}

/** Whether everything is stopped, across restarts: one row while it is. */
export class PanicStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  read(): PanicMark | undefined {
    return this.#db.prepare<[], Row>('SELECT since_ms AS sinceMs, reason FROM panic').get();
  }

  write({ sinceMs, reason }: PanicMark): void {
    this.#db.prepare('INSERT INTO panic VALUES(1, ?, ?) ON CONFLICT(id) DO NOTHING').run(sinceMs, reason);
  }

  clear(): void {
    this.#db.prepare('DELETE FROM panic').run();
  }
}
