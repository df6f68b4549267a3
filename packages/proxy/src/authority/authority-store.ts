import type { Database } from 'better-sqlite3';

/** An authority as it is kept: its certificate in PEM, its key sealed. */
export interface KeptAuthority {
  readonly certificate: string;
  readonly box: Buffer;
  readonly untilMs: number;
}

interface Row {
  readonly certificate: string;
  readonly box: Buffer;
  readonly until_ms: number;
}

/** The authorities of this home, one a host. */
export class AuthorityStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  find(host: string): KeptAuthority | undefined {
    const row = this.#db
      .prepare<[string], Row>('SELECT certificate, box, until_ms FROM authority WHERE host = ?')
      .get(host);
    if (row === undefined) return undefined;
    const { certificate, box, until_ms: untilMs } = row;
    return { certificate, box, untilMs };
  }

  /** Puts one in, in place of the one before. */
  put(host: string, { certificate, box, untilMs }: KeptAuthority): void {
    this.#db
      .prepare('INSERT OR REPLACE INTO authority(host, certificate, box, until_ms) VALUES(?, ?, ?, ?)')
      .run(host, certificate, box, untilMs);
  }
}
