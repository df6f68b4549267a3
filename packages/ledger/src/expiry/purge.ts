import type { Database, Statement } from 'better-sqlite3';
import { expiredUpTo } from './stored.js';

/** What one step of a purge did. */
export interface PurgeReport {
  /** Previews that are gone. */
  readonly deleted: number;
  /** True while expired previews are left. */
  readonly more: boolean;
  /** True once the log that SQLite writes ahead holds none of them either; false while a reader keeps it. */
  readonly settled: boolean;
}

/** As many previews as a step deletes: at 16 KB each it holds up the next commit about as long as a full one. */
const STEP = 64;

/**
 * Deletes what an entry says has expired, and nothing else: what may go is read from the ledger itself. The bytes are
 * overwritten in the file (`secure_delete`), and the log is cut off behind them. A crash between steps leaves previews
 * that have expired, which is no contradiction; the next purge goes on.
 */
export class Purger {
  readonly #db: Database;
  readonly #end: Statement<[number], number>;
  readonly #delete: Statement<[number]>;

  constructor(db: Database) {
    this.#db = db;
    this.#end = db
      .prepare<[number], number>(
        `SELECT max(seq) FROM (SELECT seq FROM blob WHERE seq <= ? ORDER BY seq LIMIT ${STEP})`,
      )
      .pluck();
    this.#delete = db.prepare('DELETE FROM blob WHERE seq <= ?');
  }

  /** One step, in a transaction of its own. Call outside of any other. */
  step(): PurgeReport {
    const upTo = expiredUpTo(this.#db);
    const end = this.#end.get(upTo);
    if (end === undefined || end === null) return { deleted: 0, more: false, settled: this.#cutOff() };
    this.#db.pragma('secure_delete=ON');
    const { changes } = this.#delete.run(end);
    return { deleted: changes, more: true, settled: false };
  }

  /** Moves the log into the file and cuts it to nothing, unless a reader still needs it: nobody is waited for. */
  #cutOff(): boolean {
    const wait = this.#db.pragma('busy_timeout', { simple: true });
    this.#db.pragma('busy_timeout=0');
    try {
      return this.#db.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0;
    } finally {
      this.#db.pragma(`busy_timeout=${Number(wait)}`);
    }
  }
}
