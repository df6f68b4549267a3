import { SublError } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import type { Clock, RandomBytes } from '../base/clock.js';
import { seal, unseal } from '../base/sealed.js';

/** Secrets of one home. */
const MAX_SECRETS = 1024;

/** What is known of a secret beside its value. */
export interface SecretFacts {
  readonly name: string;
  readonly createdMs: number;
  readonly changedMs: number;
  /** When a server was last started with it; null: never. */
  readonly usedMs: number | null;
  readonly uses: number;
}

interface Row {
  readonly name: string;
  readonly created_ms: number;
  readonly changed_ms: number;
  readonly used_ms: number | null;
  readonly uses: number;
}

/**
 * The gateway's own secrets, in `gateway.db`: each sealed under a key that is derived from the master key,
 * for its name. Who has the whole file has both; what it withstands is in SECURITY.md.
 */
export class SecretStore {
  readonly #db: Database;
  readonly #key: Uint8Array;
  readonly #clock: Clock;
  readonly #random: RandomBytes;

  constructor(db: Database, key: Uint8Array, clock: Clock, random: RandomBytes) {
    this.#db = db;
    this.#key = key;
    this.#clock = clock;
    this.#random = random;
  }

  /** @throws SublError `not_found` for a name that the store does not have. */
  assertStored(name: string): void {
    if (!this.has(name)) throw new SublError('not_found', `there is no secret \`${name}\` in the store`);
  }

  /** All that a person named, by name, without values: those of accounts go with their accounts. */
  all(): readonly SecretFacts[] {
    return this.#db
      .prepare<[], Row>(
        "SELECT name, created_ms, changed_ms, used_ms, uses FROM secret WHERE instr(name, ':') = 0 ORDER BY name",
      )
      .all()
      .map(({ name, created_ms: createdMs, changed_ms: changedMs, used_ms: usedMs, uses }) => ({
        name,
        createdMs,
        changedMs,
        usedMs,
        uses,
      }));
  }

  has(name: string): boolean {
    return this.#db.prepare<[string], number>('SELECT 1 FROM secret WHERE name = ?').pluck().get(name) === 1;
  }

  /**
   * @throws SublError `usage` for a name that is taken, unless its value is to be replaced; `overloaded`.
   */
  assertRoom(name: string, replace: boolean): void {
    if (this.has(name)) {
      if (replace) return;
      throw new SublError('usage', `there is a secret \`${name}\` already`, {
        help: 'add `--replace` for another value in its place',
      });
    }
    const count = this.#db.prepare<[], number>('SELECT count(*) FROM secret').pluck().get() ?? 0;
    if (count >= MAX_SECRETS) throw new SublError('overloaded', `there are ${MAX_SECRETS} secrets already`);
  }

  /** Puts a value in, in place of the one before. */
  put(name: string, value: string): void {
    const now = this.#clock();
    const box = seal(this.#key, name, value, this.#random);
    this.#db
      .prepare(
        `INSERT INTO secret(name, box, created_ms, changed_ms, used_ms, uses) VALUES(?, ?, ?, ?, NULL, 0)
ON CONFLICT(name) DO UPDATE SET box = excluded.box, changed_ms = excluded.changed_ms`,
      )
      .run(name, box, now, now);
  }

  /** Takes one out; false: there was none. */
  remove(name: string): boolean {
    return this.#db.prepare('DELETE FROM secret WHERE name = ?').run(name).changes > 0;
  }

  /**
   * A value.
   *
   * @throws SublError `secret_missing`.
   */
  read(name: string): string {
    const box = this.#db.prepare<[string], Buffer>('SELECT box FROM secret WHERE name = ?').pluck().get(name);
    if (box === undefined) {
      throw new SublError('secret_missing', `there is no secret \`${name}\` in the store`, {
        help: '`sub secrets list` shows which there are, and what is missing',
      });
    }
    return unseal(this.#key, name, box);
  }

  /** A server is started with it. */
  used(name: string): void {
    this.#db
      .prepare('UPDATE secret SET used_ms = ?, uses = uses + 1 WHERE name = ?')
      .run(this.#clock(), name);
  }
}
