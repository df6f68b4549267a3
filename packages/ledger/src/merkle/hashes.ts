import { sha256Hex } from '@subluminal/core-types';

/** Root of the empty tree: SHA-256 of nothing (RFC 6962 §2.1). */
export const EMPTY_ROOT: string = sha256Hex('');

/** Hash of an interior node over its children, all in lowercase hex (RFC 6962 §2.1). */
export function nodeHash(left: string, right: string): string {
  return sha256Hex(Buffer.from(`01${left}${right}`, 'hex'));
}

/** The largest power of two below `size`, which is at least 2: where RFC 6962 splits a tree. */
export function splitPoint(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}
