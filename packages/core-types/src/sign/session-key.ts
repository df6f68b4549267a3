import * as crypto from 'node:crypto';

/** SHA-256 works on blocks of so many bytes; a key of a session has half as many. */
const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const INNER = 0x36;
const OUTER = 0x5c;
/** The texts that are signed have two or three hundred characters; a longer one takes the slower way. */
const MAX_TEXT = 1024;

/**
 * A key of one connection that signs many short texts: HMAC-SHA256 (RFC 2104) as two one-shot hashes over
 * prepared blocks. Making an Hmac object costs more than hashing does, and most of all in a process that
 * slept just before. The key is held outside of the heap, in a KeyObject and in buffers that nothing shows.
 */
export class SessionKey {
  readonly #key: crypto.KeyObject;
  readonly #inner = Buffer.alloc(BLOCK_BYTES + 3 * MAX_TEXT, INNER);
  readonly #outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, OUTER);

  constructor(key: Uint8Array) {
    if (key.length > BLOCK_BYTES) throw new RangeError(`a session key has at most ${BLOCK_BYTES} bytes`);
    this.#key = crypto.createSecretKey(key);
    for (const [at, byte] of key.entries()) {
      this.#inner[at] = byte ^ INNER;
      this.#outer[at] = byte ^ OUTER;
    }
  }

  /** The MAC of a text in UTF-8, base64url. */
  mac(text: string): string {
    if (text.length > MAX_TEXT || typeof crypto.hash !== 'function') return hmac(this.#key, text);
    const end = BLOCK_BYTES + this.#inner.write(text, BLOCK_BYTES, 'utf8');
    this.#outer.write(crypto.hash('sha256', this.#inner.subarray(0, end), 'binary'), BLOCK_BYTES, 'latin1');
    return crypto.hash('sha256', this.#outer, 'base64url');
  }

  /** The bytes of the key. */
  export(): Buffer {
    return this.#key.export();
  }

  equals(other: SessionKey): boolean {
    return this.#key.equals(other.#key);
  }
}

/** The same MAC with any key. */
export function hmac(key: crypto.KeyObject | Uint8Array, text: string): string {
  return crypto.createHmac('sha256', key).update(text).digest('base64url');
}
