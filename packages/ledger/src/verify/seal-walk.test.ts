import { createPublicKey, type KeyObject } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { keyFromSeed, SIGNING_KEY } from '../../testing/scratch.js';
import type { Genesis } from '../genesis/record.js';
import { Frontier } from '../merkle/frontier.js';
import { signRestored, type Restored } from '../restore/record.js';
import { keyText, signSeal, type Seal } from '../seal/record.js';
import { SEAL_ENTRIES } from '../seal/sealer.js';
import { firstBase } from '../segments/base.js';
import { GrowingTree } from './growing-tree.js';
import type { Finding } from './report.js';
import { SealWalk } from './seals.js';

const [FIRST, SECOND, THIRD] = [11, 12, 13].map((byte) => keyFromSeed(byte)) as [
  KeyObject,
  KeyObject,
  KeyObject,
];
const GENESIS: Genesis = {
  ledgerId: 'L1',
  createdMs: 0,
  schemaHash: '',
  version: '0',
  publicKey: createPublicKey(SIGNING_KEY),
  sealKey: createPublicKey(FIRST),
  fingerprint: '00'.repeat(32),
};
/** The most entries that a writer leaves behind a seal. */
const GAP = SEAL_ENTRIES + 8192;

const told = (finding: Finding | null): unknown =>
  finding === null ? null : `${finding.class} ${finding.seq}: ${finding.detail}`;
const textOf = (key: KeyObject): string => keyText(createPublicKey(key));

/** The tree over `size` entries, whatever they are. */
function treeOf(size: number): GrowingTree {
  const bits = size.toString(2).replaceAll('0', '').length;
  const frontier = Frontier.fromBytes(size, Buffer.alloc(32 * bits, 1));
  if (frontier === undefined) throw new Error('there is no such tree');
  return GrowingTree.from(frontier);
}
const rootOf = (size: number): string => Buffer.from(treeOf(size).root(), 'hex').toString('base64');

let walk: SealWalk;
beforeEach(() => {
  walk = new SealWalk(GENESIS, firstBase(GENESIS));
});

/** A seal as entry `seq`. */
function seal(seq: number, n: number, key: KeyObject, next: KeyObject, change: Partial<Seal> = {}): unknown {
  const made = { n, size: seq - 1, root: rootOf(seq - 1), nextKey: textOf(next), ...change };
  return told(walk.check(seq, signSeal('L1', made, key), treeOf(seq - 1)));
}

/** A restore as entry `seq`. */
function restore(seq: number, change: Partial<Restored> = {}, key = SIGNING_KEY): unknown {
  const size = seq - 1;
  const made = {
    size,
    root: rootOf(size),
    knownSize: 90,
    knownRoot: '',
    sealKey: textOf(THIRD),
    reason: 'r',
  };
  return told(walk.checkRestored(seq, 5, signRestored('L1', { ...made, ...change }, key), treeOf(seq - 1)));
}

const state = (): unknown => [walk.count, walk.verified, walk.sealedSize, keyText(walk.key)];

describe('the walk along the seals', () => {
  it('goes from key to key', () => {
    expect(state()).toEqual([0, 0, 0, textOf(FIRST)]);
    expect(seal(4, 1, FIRST, SECOND)).toBeNull();
    expect(state()).toEqual([1, 1, 3, textOf(SECOND)]);
    expect(seal(9, 2, SECOND, THIRD)).toBeNull();
    expect(state()).toEqual([2, 2, 8, textOf(THIRD)]);
    expect(walk.behind(12)).toBe(3);
  });

  it('begins behind the seal that the file before ended with', () => {
    walk = new SealWalk(GENESIS, {
      ...firstBase(GENESIS),
      seq: 20,
      seals: 5,
      sealKey: createPublicKey(SECOND),
    });
    expect(state()).toEqual([5, 0, 19, textOf(SECOND)]);
    expect(walk.behind(22)).toBe(2);
    expect(seal(25, 6, SECOND, THIRD)).toBeNull();
    expect(state()).toEqual([6, 1, 24, textOf(THIRD)]);
  });

  it.each([
    ['the number of the one before', 1, {}, SECOND, 'it is seal 1, and seal 2 is expected'],
    ['a number too high', 3, {}, SECOND, 'it is seal 3, and seal 2 is expected'],
    ['a smaller size', 2, { size: 7 }, SECOND, 'it covers 7 entries, and 8 lie before it'],
    ['a larger size', 2, { size: 9 }, SECOND, 'it covers 9 entries, and 8 lie before it'],
    ['another root', 2, { root: rootOf(7) }, SECOND, 'it names another root than the entries before it give'],
    ['an older key', 2, {}, FIRST, 'it is not signed by the key that its predecessor names'],
  ] as const)('ends where a seal has %s', (_, n, change, key, detail) => {
    seal(4, 1, FIRST, SECOND);
    expect(seal(9, n, key, THIRD, change)).toBe(`seal 9: ${detail}`);
    expect(state()).toEqual([1, 1, 3, textOf(SECOND)]);
  });

  it('ends where a seal is none', () => {
    expect(told(walk.check(4, '{}', treeOf(3)))).toBe('seal 4: it is not what a writer makes of a seal');
  });

  it('finds more entries behind a seal than a writer leaves there', () => {
    const late = `seal ${4 + GAP}: more entries lie behind the last seal than a writer leaves there`;
    seal(4, 1, FIRST, SECOND);
    expect(told(walk.settle(4 + GAP))).toBeNull();
    expect(told(walk.settle(5 + GAP))).toBe(late);
    expect(seal(5 + GAP, 2, SECOND, THIRD)).toBe(late);
    expect(seal(4 + GAP, 2, SECOND, THIRD)).toBeNull();
  });

  it('finds more entries before the first seal than a writer leaves there', () => {
    expect(told(walk.settle(GAP))).toBeNull();
    expect(told(walk.settle(GAP + 1))).toContain(`seal ${GAP}: more entries`);
  });
});

describe('a restore', () => {
  it('puts its key in force, counts on, and is kept', () => {
    seal(4, 1, FIRST, SECOND);
    expect(restore(6)).toBeNull();
    expect(state()).toEqual([1, 1, 3, textOf(THIRD)]);
    expect(walk.restores).toEqual([{ seq: 6, ts: 5, size: 5, knownSize: 90, reason: 'r' }]);
    expect(seal(8, 2, SECOND, FIRST)).toContain('it is not signed by the key');
    expect(seal(8, 2, THIRD, FIRST)).toBeNull();
  });

  it.each([
    ['speaks of a smaller size', { size: 4 }],
    ['speaks of a larger size', { size: 6 }],
    ['speaks of another root', { root: rootOf(4) }],
  ])('is refused where it %s', (_, change) => {
    expect(restore(6, change)).toBe('seal 6: it speaks of a restore of another ledger or size');
    expect([walk.restores, keyText(walk.key)]).toEqual([[], textOf(FIRST)]);
  });

  it('is refused where the log key did not sign it', () => {
    expect(restore(6, {}, FIRST)).toBe('seal 6: it speaks of a restore that the log key did not sign');
  });
});
