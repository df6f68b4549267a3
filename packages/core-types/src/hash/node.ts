import * as crypto from 'node:crypto';
import { canonicalize } from '../json/canonicalize.js';

/** SHA-256 of UTF-8 text or bytes, as 64 lowercase hex digits. A lone surrogate counts as U+FFFD. */
export type Sha256Hex = (data: string | Uint8Array) => string;

/**
 * `crypto.hash` skips the Hash object and takes half the time on short input; Node has it since 20.12 and
 * 21.7.
 */
export const oneShotHex: Sha256Hex = (data) => crypto.hash('sha256', data, 'hex');

/** The same for a Node without `crypto.hash`. */
export const objectHex: Sha256Hex = (data) => crypto.createHash('sha256').update(data).digest('hex');

/**
 * SHA-256 of UTF-8 text or bytes, as 64 lowercase hex digits. Twin of `portable.ts`; both run the same
 * vectors.
 */
export const sha256Hex: Sha256Hex = typeof crypto.hash === 'function' ? oneShotHex : objectHex;

/** SHA-256 of UTF-8 text or bytes, as 32 bytes. */
export function sha256Bytes(data: string | Uint8Array): Uint8Array {
  return crypto.createHash('sha256').update(data).digest();
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
  readonly #hash = crypto.createHash('sha256');

  /** Adds bytes; how they are cut into chunks does not matter. */
  update(chunk: Uint8Array): this {
    this.#hash.update(chunk);
    return this;
  }

  /** The hash of everything so far, as lowercase hex. More bytes may follow. */
  digestHex(): string {
    return this.#hash.copy().digest('hex');
  }
}
