import { canonicalize } from '../json/canonicalize.js';
import { sha256Hex } from './node.js';

/**
 * `args_hash` of Interface Pack §1.9.1: SHA-256 of the canonical JSON of a call's arguments, as lowercase
 * hex. Throws `not_canonical` or `too_deep` where `canonicalize` does.
 */
export function argsHash(value: unknown): string {
  return sha256Hex(canonicalize(value));
}
