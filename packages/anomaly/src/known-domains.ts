import type { Database, Statement } from 'better-sqlite3';

const MAX_KNOWN_DOMAINS = 10_000;

/**
 * The hosts that anybody here has used. At most 10,000; the one first used longest ago is forgotten, and is
 * then new once more.
 */
export class KnownDomains {
  readonly #db: Database;
  readonly #find: Statement<[string]>;
  readonly #insert: Statement<[string, number]>;
  readonly #count: Statement<[], number>;
  readonly #forgetOldest: Statement<[number]>;

  /** Creates the table where there is none. */
  constructor(db: Database) {
    this.#db = db;
    this.#find = db.prepare('SELECT 1 FROM known_domains WHERE domain = ?');
    this.#insert = db.prepare('INSERT INTO known_domains VALUES (?, ?)');
    this.#count = db.prepare<[], number>('SELECT count(*) FROM known_domains').pluck();
    this.#forgetOldest = db.prepare(
      `DELETE FROM known_domains WHERE domain IN
         (SELECT domain FROM known_domains ORDER BY first_used_at, domain DESC LIMIT ?)`,
    );
  }

  has(domain: string): boolean {
    return this.#find.get(domain) !== undefined;
  }

  /** A request to it is recorded and about to run: it is no longer new. */
  add(domain: string, now: number): void {
    if (this.has(domain)) return;
    this.#db.transaction(() => {
      this.#insert.run(domain, now);
      const tooMany = (this.#count.get() ?? 0) - MAX_KNOWN_DOMAINS;
      if (tooMany > 0) this.#forgetOldest.run(tooMany);
    })();
  }

  /** Makes it new again. */
  forget(domain: string): void {
    this.#db.prepare('DELETE FROM known_domains WHERE domain = ?').run(domain);
  }
}
