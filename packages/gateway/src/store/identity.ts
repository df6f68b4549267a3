import type { Database } from 'better-sqlite3';
import { KEY_BYTES } from '../base/keys.js';
import type { Clock, RandomBytes } from '../base/clock.js';

/** What makes a gateway this one: its master key and the ledger that it belongs to. */
export interface Identity {
  readonly master: Uint8Array;
  readonly ledgerId: string;
  /** A random UUID: which machine events come from, without its name. */
  readonly hostId: string;
  readonly createdMs: number;
  /** SHA-256 of the genesis record; null until the ledger exists. */
  readonly fingerprint: string | null;
}

interface Row {
  readonly master: Uint8Array;
  readonly ledger_id: string;
  readonly host_id: string;
  readonly created_ms: number;
  readonly fingerprint: string | null;
}

/**
 * The identity in `gateway.db`, the only place where the master key is. It is made once and never again; what
 * is made first is the intention (without fingerprint), so that a crash while the ledger is created leaves a
 * state that the next start can tell apart.
 */
export class IdentityStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The identity, undefined before the first start. */
  read(): Identity | undefined {
    const row = this.#db
      .prepare<[], Row>('SELECT master, ledger_id, host_id, created_ms, fingerprint FROM identity')
      .get();
    if (row === undefined) return undefined;
    const { master, ledger_id: ledgerId, host_id: hostId, created_ms: createdMs, fingerprint } = row;
    return { master, ledgerId, hostId, createdMs, fingerprint };
  }

  /** Makes the identity of a new home. */
  create(random: RandomBytes, clock: Clock): Identity {
    const identity: Identity = {
      master: random(KEY_BYTES),
      ledgerId: Buffer.from(random(15)).toString('base64url'),
      hostId: uuidOf(random(16)),
      createdMs: clock(),
      fingerprint: null,
    };
    this.#db
      .prepare('INSERT INTO identity(id, master, ledger_id, host_id, created_ms) VALUES(1, ?, ?, ?, ?)')
      .run(Buffer.from(identity.master), identity.ledgerId, identity.hostId, identity.createdMs);
    return identity;
  }

  /** Remembers the ledger for ever: from now on a home without it does not start. */
  pin(fingerprint: string): void {
    this.#db.prepare('UPDATE identity SET fingerprint = ? WHERE fingerprint IS NULL').run(fingerprint);
  }
}

/** A version 4 UUID (RFC 9562 §5.4) of 16 random bytes. */
function uuidOf(random: Uint8Array): string {
  const bytes = Buffer.from(random);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
