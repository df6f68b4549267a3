import { EMPTY_ROOT, nodeHash } from './tree.js';

const HASH = /^[0-9a-f]{64}$/;

/** An inclusion proof and all that it speaks of. Hashes are lowercase hex. */
export interface InclusionClaim {
  /** Index of the leaf, from 0. */
  readonly index: number;
  readonly size: number;
  readonly leaf: string;
  readonly root: string;
  readonly proof: readonly string[];
}

/** A consistency proof and all that it speaks of. Hashes are lowercase hex. */
export interface ConsistencyClaim {
  readonly from: number;
  readonly to: number;
  readonly oldRoot: string;
  readonly newRoot: string;
  readonly proof: readonly string[];
}

/**
 * Tells whether the leaf stands at that index of the tree with that root (RFC 9162 §2.1.3.2, step by step).
 */
export function verifyInclusion({ index, size, leaf, root, proof }: InclusionClaim): boolean {
  if (!isSize(index) || !isSize(size) || !areHashes([leaf, root, ...proof])) return false;
  if (index >= size) return false;
  let fn = index;
  let sn = size - 1;
  let r = leaf;
  for (const p of proof) {
    if (sn === 0) return false;
    if (isOdd(fn) || fn === sn) {
      r = nodeHash(p, r);
      while (!isOdd(fn) && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else {
      r = nodeHash(r, p);
    }
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && r === root;
}

/**
 * Tells whether the newer tree continues the older one (RFC 9162 §2.1.4.2, step by step). Every tree
 * continues the empty one and itself, by an empty proof.
 */
export function verifyConsistency({ from, to, oldRoot, newRoot, proof }: ConsistencyClaim): boolean {
  if (!isSize(from) || !isSize(to) || !areHashes([oldRoot, newRoot, ...proof]) || from > to) return false;
  if (from === to) return proof.length === 0 && oldRoot === newRoot && (to > 0 || newRoot === EMPTY_ROOT);
  if (from === 0) return proof.length === 0 && oldRoot === EMPTY_ROOT;
  if (proof.length === 0) return false;
  const [first = '', ...rest] = isPowerOfTwo(from) ? [oldRoot, ...proof] : proof;
  let fn = from - 1;
  let sn = to - 1;
  while (isOdd(fn)) [fn, sn] = [half(fn), half(sn)];
  let [fr, sr] = [first, first];
  for (const c of rest) {
    if (sn === 0) return false;
    if (isOdd(fn) || fn === sn) {
      fr = nodeHash(c, fr);
      sr = nodeHash(c, sr);
      while (!isOdd(fn) && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else {
      sr = nodeHash(sr, c);
    }
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && fr === oldRoot && sr === newRoot;
}

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function areHashes(hashes: readonly string[]): boolean {
  return hashes.every((hash) => HASH.test(hash));
}

/** Sizes may lie beyond 32 bits, which the bit operators of the language cut off. */
function isOdd(value: number): boolean {
  return value % 2 === 1;
}

function half(value: number): number {
  return Math.floor(value / 2);
}

function isPowerOfTwo(value: number): boolean {
  let rest = value;
  while (rest > 1 && !isOdd(rest)) rest = half(rest);
  return rest === 1;
}
