import { sha256Hex } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import type { Clock } from '@subluminal/gateway';

/** Remembered tokens, the newest ones: services forget theirs sooner. */
const MAX_REMEMBERED = 1024;

/** A token that was sent. `claimed`: an account came of it; else nobody knows its end. */
export interface SentToken {
  readonly sentMs: number;
  readonly claimed: boolean;
}

/**
 * The hashes of the tokens that were sent, on disk before they are: none is sent twice, whatever happens in
 * between.
 */
export class SentTokens {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Undefined for a token that was not sent. */
  find(token: string): SentToken | undefined {
    const row = this.#db
      .prepare<[string], { sent_ms: number; claimed: number }>(
        'SELECT sent_ms, claimed FROM sent_token WHERE hash = ?',
      )
      .get(sha256Hex(token));
    return row === undefined ? undefined : { sentMs: row.sent_ms, claimed: row.claimed === 1 };
  }

  /** Marks a token before it is sent. Returns false where it is marked already. */
  claimOnce(token: string): boolean {
    const put = this.#db
      .prepare('INSERT INTO sent_token VALUES(?, ?, 0) ON CONFLICT(hash) DO NOTHING')
      .run(sha256Hex(token), this.#clock());
    this.#db
      .prepare(
        'DELETE FROM sent_token WHERE hash NOT IN (SELECT hash FROM sent_token ORDER BY sent_ms DESC LIMIT ?)',
      )
      .run(MAX_REMEMBERED);
    return put.changes > 0;
  }

  /** Notes that there is an account of it. */
  claimed(token: string): void {
    this.#db.prepare('UPDATE sent_token SET claimed = 1 WHERE hash = ?').run(sha256Hex(token));
  }

  /** Removes the mark of a token that is known not to be used up. */
  forget(token: string): void {
    this.#db.prepare('DELETE FROM sent_token WHERE hash = ?').run(sha256Hex(token));
  }
}
