import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { SublError } from '../errors/subl-error.js';
import { lengthPrefixed } from './length-prefix.js';
import { SessionKey } from './session-key.js';

/** Bytes of a master key, a client key and a session key. */
const KEY_BYTES = 32;

/** The longest `kind`, `id` or ledger id that enters a derivation, in UTF-8 bytes. */
const MAX_FIELD_BYTES = 128;

const KEY_TEXT = /^[A-Za-z0-9_-]{43}$/;

/**
 * K of the handshake, what a client's key file holds: HKDF-SHA256 over the gateway's master key, salted with
 * the ledger id, bound to the client's kind, id and epoch (raising the epoch revokes it). 32 bytes.
 * `handshake_refused` for fields over 128 bytes or an epoch that is no whole number. See "Keys, credentials,
 * runs" in ARCHITECTURE.md.
 */
export function deriveKey(
  master: Uint8Array,
  ledgerId: string,
  kind: string,
  id: string,
  epoch: number,
): Uint8Array {
  if (master.length !== KEY_BYTES) throw new RangeError(`a master key has ${KEY_BYTES} bytes`);
  for (const field of [ledgerId, kind, id]) assertField(field);
  const info = Buffer.concat([
    Buffer.from('subl/v1/key'),
    lengthPrefixed(kind),
    lengthPrefixed(id),
    lengthPrefixed(epochText(epoch)),
  ]);
  return expand(master, Buffer.from(ledgerId), info);
}

/** The three keys of one connection. They stay out of the heap, and are made ready for signing once. */
export interface SessionKeys {
  /** Signs the two handshake proofs. */
  readonly hs: KeyObject;
  /** Signs what the client sends. */
  readonly c2s: SessionKey;
  /** Signs what the gateway sends. */
  readonly s2c: SessionKey;
}

/** The session keys of a handshake: HKDF-SHA256 over the client's key, salted with the transcript hash. */
export function deriveSession(key: Uint8Array, transcript: Uint8Array): SessionKeys {
  if (key.length !== KEY_BYTES) throw new RangeError(`a client key has ${KEY_BYTES} bytes`);
  const derive = (label: string): Uint8Array => expand(key, transcript, Buffer.from(label));
  return {
    hs: createSecretKey(derive('subl/v1/hs')),
    c2s: new SessionKey(derive('subl/v1/c2s')),
    s2c: new SessionKey(derive('subl/v1/s2c')),
  };
}

/** A key as it stands in key files and tickets: 43 characters of base64url. */
export function encodeKey(key: Uint8Array): string {
  return Buffer.from(key).toString('base64url');
}

/** The 32 bytes of a key from a key file or ticket; `key_missing` when the text is no key. */
export function decodeKey(text: string): Uint8Array {
  if (!KEY_TEXT.test(text)) throw new SublError('key_missing', 'the key is not 32 bytes of base64url');
  return Uint8Array.from(Buffer.from(text, 'base64url'));
}

/** An epoch as it enters derivations. */
export function epochText(epoch: number): string {
  if (!Number.isSafeInteger(epoch) || epoch < 0) {
    throw new SublError('handshake_refused', 'an epoch must be a whole number');
  }
  return String(epoch);
}

function assertField(field: string): void {
  if (Buffer.byteLength(field) > MAX_FIELD_BYTES) {
    throw new SublError('handshake_refused', `a name is longer than ${MAX_FIELD_BYTES} bytes`);
  }
}

function expand(secret: Uint8Array, salt: Uint8Array, info: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, salt, info, KEY_BYTES));
}
