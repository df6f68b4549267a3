import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { rawPublicKey, renderVerifierKey, sha256Hex, verifierKey } from '@subluminal/core-types';
import {
  GrowingTree,
  preimage,
  noteKey,
  verifyConsistency,
  verifyInclusion,
} from '@subluminal/core-types/portable';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeRange, WholeRecord } from '../../../packages/ui/page/verify/chain.js';
import { judgeHead, type HeadQuestion } from '../../../packages/ui/page/verify/checkpoint.js';
import { openTree, type OpenTree } from './kit/tree.js';

const LEDGER = 'l-1';
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const other = generateKeyPairSync('ed25519');
const keyText = (key: KeyObject): string =>
  renderVerifierKey(verifierKey(`subluminal/${LEDGER}`, 'log', key));

/** A checkpoint of so many entries, signed by a key. */
function note(
  tree: OpenTree,
  size: number,
  by: KeyObject = privateKey,
  named: KeyObject = publicKey,
): string {
  const name = `subluminal/${LEDGER}`;
  const root = Buffer.from(tree.root(size), 'hex').toString('base64');
  const text = `${name}\n${size}\n${root}\n`;
  const { keyId } = noteKey(name, 'log', rawPublicKey(named));
  const blob = Buffer.concat([Buffer.from(keyId, 'hex'), sign(null, Buffer.from(text), by)]);
  return `${text}\n— ${name} ${blob.toString('base64')}\n`;
}

function growth(tree: OpenTree, from: number, to: string, size: number): string {
  const lines = tree
    .consistency(from, size)
    .map((hash) => `${Buffer.from(hash, 'hex').toString('base64')}\n`);
  return `old ${from}\n${lines.join('')}\n${to}`;
}

const leaves = Array.from({ length: 300 }, (_, index) => sha256Hex(`leaf ${index}`));
const tree = openTree(leaves);
const base = (size: number, more: Partial<HeadQuestion> = {}): HeadQuestion => ({
  ledger: LEDGER,
  key: keyText(publicKey),
  note: note(tree, size),
  growth: null,
  remembered: null,
  ...more,
});
const seen = (size: number, of: OpenTree = tree): { key: string; note: string } => ({
  key: keyText(publicKey),
  note: note(of, size),
});

describe('a head that the page is told', () => {
  it('is believed with the signature of the key of the ledger', async () => {
    expect(await judgeHead(base(7))).toEqual({ ok: true, size: 7, root: tree.root(7), continues: null });
  });

  it('is believed where it continues the one that the browser remembers, by proof', async () => {
    const head = note(tree, 300);
    const asked = base(300, { note: head, remembered: seen(5), growth: growth(tree, 5, head, 300) });
    expect(await judgeHead(asked)).toMatchObject({ ok: true, continues: 5 });
  });

  it.each<[string, Partial<HeadQuestion>, RegExp]>([
    ['by another key than it names', { note: note(tree, 9, other.privateKey) }, /does not verify/],
    [
      'by a key that the browser did not see before',
      { remembered: { ...seen(5), key: keyText(other.publicKey) } },
      /another one than this browser saw/,
    ],
    ['of another ledger', { ledger: 'l-2' }, /another ledger/],
    ['that nobody signed', { note: note(tree, 9).split('\n\n')[0] ?? '' }, /not a signed checkpoint/],
    [
      'with fewer entries than were seen',
      { remembered: seen(20) },
      /ends at entry 9, and this browser saw entry 20/,
    ],
    [
      'of as many entries, and another root',
      { remembered: seen(9, openTree(leaves.toReversed())) },
      /not the same/,
    ],
    ['without a proof that it continues', { remembered: seen(5) }, /there is no proof/],
    [
      'that does not continue what was seen',
      { remembered: seen(5, openTree(leaves.toReversed())), growth: growth(tree, 5, note(tree, 9), 9) },
      /does not continue/,
    ],
  ])('is not believed %s', async (_, more, why) => {
    const verdict = await judgeHead(base(9, more));
    expect(verdict).toMatchObject({ ok: false });
    expect('why' in verdict ? verdict.why : '').toMatch(why);
  });
});

describe('entries that the page hashes', () => {
  const chain = (bodies: readonly string[]): { seq: number; body: string; leaf: string }[] => {
    let prev = '0'.repeat(64);
    return bodies.map((body, index) => {
      const leaf = sha256Hex(preimage(LEDGER, index + 1, prev, body));
      prev = leaf;
      return { seq: index + 1, body, leaf };
    });
  };
  const entries = chain(['{"a":1}', '{"b":"ü"}', '{"c":3}', '{"d":4}']);
  const page = (all: typeof entries) => ({ ledger: LEDGER, prev: '0'.repeat(64), entries: all });

  it('fit, one built on the other', async () => {
    expect(await judgeRange(page(entries), 1, null)).toMatchObject({ ok: true, leaf: entries[3]?.leaf });
  });

  it('name the first one whose content was changed', async () => {
    const changed = entries.map((entry) => (entry.seq === 2 ? { ...entry, body: '{"b":"u"}' } : entry));
    expect(await judgeRange(page(changed), 1, null)).toMatchObject({ ok: false, broken: { seq: 2 } });
  });

  it('name the one behind a changed one that was hashed again', async () => {
    const again = sha256Hex(preimage(LEDGER, 2, entries[0]?.leaf ?? '', '{}'));
    const changed = entries.map((entry) => (entry.seq === 2 ? { seq: 2, body: '{}', leaf: again } : entry));
    expect(await judgeRange(page(changed), 1, null)).toMatchObject({ ok: false, broken: { seq: 3 } });
  });

  it('name one that is missing', async () => {
    const without = entries.filter(({ seq }) => seq !== 3);
    expect(await judgeRange(page(without), 1, null)).toMatchObject({ ok: false, broken: { seq: 3 } });
  });

  it('give the signed root together, or the last of them is named', async () => {
    const whole = openTree(entries.map(({ leaf }) => leaf));
    expect(await new WholeRecord(4, whole.root(4)).take(page(entries))).toMatchObject({ done: true });
    const rebuilt = chain(['{"a":2}', '{"b":"ü"}', '{"c":3}', '{"d":4}']);
    expect(await new WholeRecord(4, whole.root(4)).take(page(rebuilt))).toMatchObject({
      done: false,
      broken: { seq: 4 },
    });
  });
});

describe('the portable proofs', () => {
  it('take every growth of the ledger’s tree, and none that was bent', () => {
    fc.assert(
      fc.property(fc.nat(64), fc.nat(64), fc.boolean(), (one, more, bend) => {
        const [from, to] = [one, one + more];
        const straight = tree.consistency(from, to);
        const proof = straight.map((hash, index) => (bend && index === 0 ? 'ab'.repeat(32) : hash));
        const claim = { from, to, oldRoot: tree.root(from), newRoot: tree.root(to), proof };
        expect(verifyConsistency(claim)).toBe(!bend || straight.length === 0);
      }),
      { numRuns: 300 },
    );
  });

  it('find every leaf at its place, and at no other', () => {
    for (const size of [1, 2, 3, 7, 8, 100, 257]) {
      const index = size - 1;
      const claim = {
        index,
        size,
        leaf: leaves[index] ?? '',
        root: tree.root(size),
        proof: tree.inclusion(index, size),
      };
      expect(verifyInclusion(claim)).toBe(true);
      if (size > 1) expect(verifyInclusion({ ...claim, index: index - 1 })).toBe(false);
    }
  });

  it('grow to the same roots', () => {
    const growing = new GrowingTree();
    for (const [index, leaf] of leaves.entries()) {
      expect(growing.root()).toBe(tree.root(index));
      growing.push(leaf);
    }
  });
});
