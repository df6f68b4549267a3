import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalize } from '../json/canonicalize.js';

/**
 * Twin of `node.ts` for runtimes without node:crypto: same names, same answers, held together by shared
 * vectors.
 */
export function sha256Hex(data: string | Uint8Array): string {
  return bytesToHex(sha256Bytes(data));
}

/** SHA-256 of UTF-8 text or bytes, as 32 bytes. */
export function sha256Bytes(data: string | Uint8Array): Uint8Array {
  return sha256(typeof data === 'string' ? utf8ToBytes(data) : data);
}

/**
 * `args_hash`: SHA-256 of the canonical JSON of a call's arguments, as lowercase hex. Throws `not_canonical`
 * or `too_deep` if `canonicalize` does.
 */
export function argsHash(value: unknown): string {
  return sha256Hex(canonicalize(value));
}

/** SHA-256 over bytes as they pass, in constant memory. */
export class StreamHash {
  readonly #hash = sha256.create();

  /** Adds bytes; how they are cut into chunks does not matter. */
  update(chunk: Uint8Array): this {
    this.#hash.update(chunk);
    return this;
  }

  /** The hash of everything so far, as lowercase hex. More bytes may follow. */
  digestHex(): string {
    return bytesToHex(this.#hash.clone().digest());
  }
}
