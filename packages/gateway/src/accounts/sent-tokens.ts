import { sha256Hex } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import type { Clock } from '../base/clock.js';

/** Tokens that are remembered, the newest of them: services forget theirs sooner. */
const MAX_REMEMBERED = 1024;

/** What became of a token that was sent: nobody knows, or an account. */
export interface SentToken {
  readonly sentMs: number;
  readonly claimed: boolean;
}

/** The tokens that were sent to be claimed, by their hash, on disk before they are: none is sent twice, whatever happens in between. */
export class SentTokens {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Undefined for one that was not sent. */
  find(token: string): SentToken | undefined {
    const row = this.#db
      .prepare<[string], { sent_ms: number; claimed: number }>(
        'SELECT sent_ms, claimed FROM sent_token WHERE hash = ?',
      )
      .get(sha256Hex(token));
    return row === undefined ? undefined : { sentMs: row.sent_ms, claimed: row.claimed === 1 };
  }

  /** Before it is sent. False: it was already. */
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

  /** It is used up, and there is an account of it. */
  claimed(token: string): void {
    this.#db.prepare('UPDATE sent_token SET claimed = 1 WHERE hash = ?').run(sha256Hex(token));
  }

  /** It is known not to be used up. */
  forget(token: string): void {
    this.#db.prepare('DELETE FROM sent_token WHERE hash = ?').run(sha256Hex(token));
  }
}
