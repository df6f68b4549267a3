import { describe, expect, it } from 'vitest';
import { EMPTY_ROOT, nodeHash } from './tree.js';
import {
  verifyConsistency,
  verifyInclusion,
  type ConsistencyClaim,
  type InclusionClaim,
} from './verify-proof.js';

const [A, B, C, D, X] = ['a', 'b', 'c', 'd', 'e'].map((digit) => digit.repeat(64)) as [
  string,
  string,
  string,
  string,
  string,
];
const AB = nodeHash(A, B);
const THREE = nodeHash(AB, C);
const FOUR = nodeHash(AB, nodeHash(C, D));

describe('an inclusion proof', () => {
  const good: InclusionClaim = { index: 0, size: 3, leaf: A, root: THREE, proof: [B, C] };
  const beyond = 2 ** 53;
  const right = Array.from({ length: 53 }, () => B);

  it.each<[string, InclusionClaim]>([
    ['of the first leaf', good],
    ['of the second leaf', { ...good, index: 1, leaf: B, proof: [A, C] }],
    ['of the last leaf', { ...good, index: 2, leaf: C, proof: [AB] }],
    ['of the only leaf', { index: 0, size: 1, leaf: A, root: A, proof: [] }],
  ])('%s verifies', (_, claim) => {
    expect(verifyInclusion(claim)).toBe(true);
  });

  it.each<[string, Partial<InclusionClaim>]>([
    ['an index below 0', { index: -1 }],
    ['an index that is no integer', { index: 0.5 }],
    ['an index that is no number', { index: Number.NaN }],
    ['an index at the size', { index: 3 }],
    ['another index', { index: 1 }],
    ['a size of 0', { size: 0 }],
    ['a size below 0', { index: -3, size: -2 }],
    ['a size that is no integer', { size: 3.5 }],
    [
      'a size beyond the safe integers',
      { size: beyond, proof: right, root: right.reduce((left, hash) => nodeHash(left, hash), A) },
    ],
    ['a leaf in capitals', { leaf: A.toUpperCase() }],
    ['a leaf that is too short', { leaf: A.slice(2) }],
    ['a root in capitals', { size: 1, leaf: A.toUpperCase(), root: A.toUpperCase(), proof: [] }],
    ['another root', { root: FOUR }],
    ['a hash in capitals', { proof: [B.toUpperCase(), C] }],
    ['a hash that is too long', { proof: [`${B}bb`, C] }],
    ['a hash too few, though the root of a subtree comes out', { root: AB, proof: [B] }],
    ['a hash too many', { root: nodeHash(X, THREE), proof: [B, C, X] }],
    ['hashes in another order', { proof: [C, B] }],
    ['a hash on the wrong side', { root: nodeHash(nodeHash(B, A), C) }],
  ])('with %s is refused', (_, change) => {
    expect(verifyInclusion({ ...good, ...change })).toBe(false);
  });
});

describe('a consistency proof', () => {
  const grown: ConsistencyClaim = { from: 2, to: 3, oldRoot: AB, newRoot: THREE, proof: [C] };
  const odd: ConsistencyClaim = { from: 3, to: 4, oldRoot: THREE, newRoot: FOUR, proof: [C, D, AB] };
  const same: ConsistencyClaim = { from: 3, to: 3, oldRoot: THREE, newRoot: THREE, proof: [] };
  const empty: ConsistencyClaim = { from: 0, to: 3, oldRoot: EMPTY_ROOT, newRoot: THREE, proof: [] };

  it.each<[string, ConsistencyClaim]>([
    ['from a power of two', grown],
    ['from another size', odd],
    ['of a tree with itself', same],
    ['from the empty tree', empty],
    ['of the empty tree with itself', { ...empty, to: 0, newRoot: EMPTY_ROOT }],
  ])('%s verifies', (_, claim) => {
    expect(verifyConsistency(claim)).toBe(true);
  });

  it.each<[string, ConsistencyClaim]>([
    ['sizes below 0', { ...empty, from: -1, to: -1, newRoot: EMPTY_ROOT }],
    ['an older size that is no integer', { ...grown, from: 2.5, newRoot: nodeHash(THREE, D), proof: [C, D] }],
    ['a newer size that is no integer', { ...grown, to: 3.5 }],
    ['a newer size beyond the safe integers', { ...empty, to: 2 ** 53 }],
    ['an older size above the newer', { from: 3, to: 2, oldRoot: C, newRoot: nodeHash(C, D), proof: [C, D] }],
    ['an older root in capitals', { ...same, oldRoot: X.toUpperCase(), newRoot: X.toUpperCase() }],
    ['a newer root in capitals', { ...empty, newRoot: X.toUpperCase() }],
    ['a hash in capitals', { ...grown, proof: [C.toUpperCase()] }],
    ['another older root', { ...odd, oldRoot: AB }],
    ['another newer root', { ...grown, newRoot: FOUR }],
    ['one size and two roots', { ...same, newRoot: FOUR }],
    ['one size and a hash', { ...same, proof: [C] }],
    ['no entries and a root', { ...same, from: 0, to: 0 }],
    ['an empty older tree and a hash', { ...empty, proof: [C] }],
    ['an empty older tree and a root', { ...empty, oldRoot: AB }],
    ['no hash', { ...grown, proof: [] }],
    ['a hash too few, though both roots come out', { ...grown, to: 5 }],
    [
      'a hash too many, though both roots come out',
      { ...odd, oldRoot: nodeHash(X, THREE), newRoot: nodeHash(X, FOUR), proof: [...odd.proof, X] },
    ],
    ['hashes in another order', { ...odd, proof: [D, C, AB] }],
    ['a hash on the wrong side', { ...grown, newRoot: nodeHash(C, AB) }],
  ])('with %s is refused', (_, claim) => {
    expect(verifyConsistency(claim)).toBe(false);
  });
});
