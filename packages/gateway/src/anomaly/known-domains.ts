import type { Database, Statement } from 'better-sqlite3';

const MAX_KNOWN_DOMAINS = 10_000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS known_domains (
    domain TEXT PRIMARY KEY,
    first_used_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/** The hosts that anybody here has used. At most 10,000; the one first used longest ago is forgotten, and is then new once more. */
export class KnownDomains {
  readonly #db: Database;
  readonly #find: Statement<[string]>;

  /** Creates the table where there is none. */
  constructor(db: Database) {
    db.exec(SCHEMA);
    this.#db = db;
    this.#find = db.prepare('SELECT 1 FROM known_domains WHERE domain = ?');
  }

  has(domain: string): boolean {
    return this.#find.get(domain) !== undefined;
  }

  /** A request to it is recorded and about to run: it is no longer new. */
  add(domain: string, now: number): void {
    if (this.has(domain)) return;
    this.#db.transaction(() => {
      this.#db.prepare('INSERT INTO known_domains VALUES (?, ?)').run(domain, now);
      this.#db
        .prepare(
          `DELETE FROM known_domains WHERE domain IN
             (SELECT domain FROM known_domains ORDER BY first_used_at DESC, domain LIMIT -1 OFFSET ?)`,
        )
        .run(MAX_KNOWN_DOMAINS);
    })();
  }

  /** Makes it new again. */
  forget(domain: string): void {
    this.#db.prepare('DELETE FROM known_domains WHERE domain = ?').run(domain);
  }
}
