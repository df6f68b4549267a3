import type { Database } from 'better-sqlite3';

/** The port of the proxy, so that what a program was told is good for longer than one gateway. */
export class ProxyPortStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Undefined where there was no proxy yet. */
  read(): number | undefined {
    return this.#db.prepare<[], number>('SELECT port FROM proxy_port').pluck().get();
  }

  write(port: number): void {
    this.#db.prepare('INSERT OR REPLACE INTO proxy_port VALUES(1, ?)').run(port);
  }
}
