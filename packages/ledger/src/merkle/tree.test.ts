import SqliteDatabase, { type Database } from 'better-sqlite3';
import { sha256Hex, verifyConsistency, verifyInclusion } from '@subluminal/core-types';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillRun, Scratch } from '../../testing/scratch.js';
import { openReadOnly } from '../schema/connection.js';
import { MerkleTree } from './tree.js';

const isLong = process.env['SUB_LONG'] !== undefined;

/** RFC 6962 §2.1, word for word and slow: the reference that everything here is held against. */
function mth(leaves: readonly string[]): string {
  if (leaves.length === 0) return createHash('sha256').digest('hex');
  if (leaves.length === 1) return leaves[0] ?? '';
  const k = splitOf(leaves.length);
  return pair(mth(leaves.slice(0, k)), mth(leaves.slice(k)));
}

function path(m: number, leaves: readonly string[]): string[] {
  if (leaves.length === 1) return [];
  const k = splitOf(leaves.length);
  return m < k
    ? [...path(m, leaves.slice(0, k)), mth(leaves.slice(k))]
    : [...path(m - k, leaves.slice(k)), mth(leaves.slice(0, k))];
}

function subproof(m: number, leaves: readonly string[], isWhole: boolean): string[] {
  if (m === leaves.length) return isWhole ? [] : [mth(leaves)];
  const k = splitOf(leaves.length);
  return m <= k
    ? [...subproof(m, leaves.slice(0, k), isWhole), mth(leaves.slice(k))]
    : [...subproof(m - k, leaves.slice(k), false), mth(leaves.slice(0, k))];
}

function splitOf(count: number): number {
  return 2 ** Math.floor(Math.log2(count - 1));
}

function pair(left: string, right: string): string {
  const hash = createHash('sha256').update(Uint8Array.of(1));
  return hash.update(Buffer.from(left, 'hex')).update(Buffer.from(right, 'hex')).digest('hex');
}

function leavesOf(count: number): string[] {
  return Array.from({ length: count }, (_, at) => sha256Hex(`leaf ${at}`));
}

/** The two tables that a tree is read from. */
function database(leaves: readonly string[]): Database {
  const db = new SqliteDatabase(':memory:');
  db.exec('CREATE TABLE entry(seq INTEGER PRIMARY KEY, hash BLOB)');
  const insert = db.prepare('INSERT INTO entry VALUES(?,?)');
  db.transaction(() => leaves.forEach((leaf, at) => insert.run(at + 1, Buffer.from(leaf, 'hex'))))();
  db.exec('CREATE TABLE tile(lvl INTEGER, idx INTEGER, hash BLOB, PRIMARY KEY(lvl,idx))');
  const add = db.prepare('INSERT INTO tile VALUES(?,?,?)');
  for (let level = 1, width = 256; width <= leaves.length; level += 1, width *= 256) {
    for (let idx = 0; (idx + 1) * width <= leaves.length; idx += 1) {
      add.run(level, idx, Buffer.from(mth(leaves.slice(idx * width, (idx + 1) * width)), 'hex'));
    }
  }
  return db;
}

const SMALL = leavesOf(130);
const ROOTS = Array.from({ length: 131 }, (_, size) => mth(SMALL.slice(0, size)));

describe('the published vectors of the Certificate Transparency reference tests', () => {
  const inputs = [
    '',
    '00',
    '10',
    '2021',
    '3031',
    '40414243',
    '5051525354555657',
    '606162636465666768696a6b6c6d6e6f',
  ];
  const tree = new MerkleTree(database(inputs.map((input) => sha256Hex(Buffer.from(`00${input}`, 'hex')))));
  const A = '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7';
  const B = '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e';
  const C = '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4';
  const D = 'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b';
  const E = 'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0';
  const F = 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7';
  const G = 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125';
  const H = '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d';
  const I = '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a';

  it.each([
    [0, 1, []],
    [0, 8, [A, B, C]],
    [5, 8, [D, E, F]],
    [2, 3, [G]],
    [1, 5, [H, B, D]],
  ])('leaf %i of a tree of %i has the published inclusion proof', (index, size, proof) => {
    expect(tree.inclusion(index, size)).toEqual(proof);
  });

  it.each([
    [1, 1, []],
    [1, 8, [A, B, C]],
    [6, 8, [I, E, F]],
    [2, 5, [B, D]],
  ])('a tree of %i and one of %i have the published consistency proof', (from, to, proof) => {
    expect(tree.consistency(from, to)).toEqual(proof);
  });

  it('the tree of eight has the published root', () => {
    expect(tree.root(8)).toBe('5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328');
  });
});

describe('a tree of up to 130 leaves', () => {
  const tree = new MerkleTree(database(SMALL));

  it('has the roots of the reference', () => {
    expect(ROOTS.map((_, size) => tree.root(size))).toEqual(ROOTS);
  });

  it('gives the inclusion proof of the reference for every leaf of every size, and it verifies', () => {
    const wrong: string[] = [];
    for (let size = 1; size <= 130; size += 1) {
      for (let index = 0; index < size; index += 1) {
        const proof = tree.inclusion(index, size);
        const claim = { index, size, leaf: SMALL[index] ?? '', root: ROOTS[size] ?? '', proof };
        if (!verifyInclusion(claim)) wrong.push(`leaf ${index} of ${size}`);
        if (size % 13 === 0) expect(proof).toEqual(path(index, SMALL.slice(0, size)));
      }
    }
    expect(wrong).toEqual([]);
  });

  it('gives the consistency proof of the reference for every pair of sizes, and it verifies', () => {
    const wrong: string[] = [];
    for (let to = 0; to <= 130; to += 1) {
      for (let from = 0; from <= to; from += 1) {
        const proof = tree.consistency(from, to);
        const claim = { from, to, oldRoot: ROOTS[from] ?? '', newRoot: ROOTS[to] ?? '', proof };
        if (!verifyConsistency(claim)) wrong.push(`${from} to ${to}`);
        if (to % 13 === 0 && from > 0) expect(proof).toEqual(subproof(from, SMALL.slice(0, to), true));
      }
    }
    expect(wrong).toEqual([]);
  });

  it('refuses what lies outside of it', () => {
    for (const work of [
      () => tree.root(131),
      () => tree.root(-1),
      () => tree.root(0.5),
      () => tree.inclusion(130, 130),
      () => tree.inclusion(-1, 130),
      () => tree.inclusion(0, 0),
      () => tree.consistency(3, 2),
      () => tree.consistency(1, 131),
    ]) {
      expect(work).toThrow(expect.objectContaining({ code: 'not_found' }));
    }
  });
});

describe('a proof that was changed', () => {
  const tree = new MerkleTree(database(SMALL));
  const sizes = fc
    .integer({ min: 2, max: 130 })
    .chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1)));

  it('is refused with any single bit flipped, a hash added, taken away or moved: inclusion', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), ([size, index], seed) => {
        const claim = {
          index,
          size,
          leaf: SMALL[index] ?? '',
          root: ROOTS[size] ?? '',
          proof: tree.inclusion(index, size),
        };
        for (const proof of mutations(claim.proof, seed))
          expect(verifyInclusion({ ...claim, proof })).toBe(false);
        expect(verifyInclusion({ ...claim, leaf: flip(claim.leaf, seed) })).toBe(false);
        expect(verifyInclusion({ ...claim, root: flip(claim.root, seed) })).toBe(false);
        expect(verifyInclusion({ ...claim, index: index + size })).toBe(false);
        expect(verifyInclusion({ ...claim, index: (index + 1) % size })).toBe(false);
        expect(verifyInclusion({ ...claim, size: index })).toBe(false);
      }),
      { numRuns: isLong ? 3000 : 100 },
    );
  });

  it('is refused with any single bit flipped, a hash added, taken away or moved: consistency', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), ([to, before], seed) => {
        const from = before + 1 === to ? before : before + 1;
        const claim = {
          from,
          to,
          oldRoot: ROOTS[from] ?? '',
          newRoot: ROOTS[to] ?? '',
          proof: tree.consistency(from, to),
        };
        for (const proof of mutations(claim.proof, seed))
          expect(verifyConsistency({ ...claim, proof })).toBe(false);
        expect(verifyConsistency({ ...claim, oldRoot: flip(claim.oldRoot, seed) })).toBe(false);
        expect(verifyConsistency({ ...claim, newRoot: flip(claim.newRoot, seed) })).toBe(false);
        expect(verifyConsistency({ ...claim, from: to, to: from })).toBe(false);
        expect(verifyConsistency({ ...claim, proof: [] })).toBe(false);
      }),
      { numRuns: isLong ? 3000 : 100 },
    );
  });

  it('is refused for every bit of one proof', () => {
    const claim = {
      index: 77,
      size: 130,
      leaf: SMALL[77] ?? '',
      root: ROOTS[130] ?? '',
      proof: tree.inclusion(77, 130),
    };
    const accepted: number[] = [];
    for (let bit = 0; bit < claim.proof.length * 256; bit += 1) {
      const at = Math.floor(bit / 256);
      const proof = claim.proof.with(at, flip(claim.proof[at] ?? '', bit % 256));
      if (verifyInclusion({ ...claim, proof })) accepted.push(bit);
    }
    expect(accepted).toEqual([]);
  });

  it('is refused where a number is none, or a hash is no hash', () => {
    const claim = { index: 0, size: 1, leaf: SMALL[0] ?? '', root: SMALL[0] ?? '', proof: [] };
    expect(verifyInclusion(claim)).toBe(true);
    for (const size of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(verifyInclusion({ ...claim, size })).toBe(false);
    }
    expect(verifyInclusion({ ...claim, leaf: 'A', root: 'A' })).toBe(false);
    expect(verifyConsistency({ from: 0, to: 0, oldRoot: 'x', newRoot: 'x', proof: [] })).toBe(false);
    const leaf = SMALL[0] ?? '';
    expect(verifyConsistency({ from: 0, to: 0, oldRoot: leaf, newRoot: leaf, proof: [] })).toBe(false);
    expect(verifyConsistency({ from: 0, to: 1, oldRoot: leaf, newRoot: leaf, proof: [] })).toBe(false);
  });

  it('sizes beyond 32 bits are counted as they are', () => {
    // A tree of 2^40 + 1 leaves: the last leaf has one sibling, the root of all the others.
    const [leaf = '', other = ''] = SMALL;
    const claim = { index: 2 ** 40, size: 2 ** 40 + 1, leaf, root: pair(other, leaf), proof: [other] };
    expect(verifyInclusion(claim)).toBe(true);
    expect(verifyInclusion({ ...claim, index: 0, size: 1 })).toBe(false);
    expect(verifyInclusion({ ...claim, size: 2 ** 41 + 1 })).toBe(false);
    expect(
      verifyConsistency({
        from: 2 ** 40,
        to: 2 ** 40 + 1,
        oldRoot: other,
        newRoot: claim.root,
        proof: [leaf],
      }),
    ).toBe(true);
  });
});

describe('a tree with tiles', () => {
  const leaves = leavesOf(70_000);
  const tiled = new MerkleTree(database(leaves));
  const roots = new Map<number, string>();
  const rootOf = (size: number): string => {
    const known = roots.get(size) ?? mth(leaves.slice(0, size));
    roots.set(size, known);
    return known;
  };

  it('gives proofs that verify under the roots of the reference', () => {
    for (const size of [255, 256, 257, 1025, 65_537, 70_000]) {
      for (const index of [0, 255, 256, size >> 1, size - 1]) {
        if (index >= size) continue;
        const proof = tiled.inclusion(index, size);
        expect(verifyInclusion({ index, size, leaf: leaves[index] ?? '', root: rootOf(size), proof })).toBe(
          true,
        );
      }
      for (const from of [1, 256, 257, 65_536]) {
        if (from > size) continue;
        const proof = tiled.consistency(from, size);
        expect(
          verifyConsistency({ from, to: size, oldRoot: rootOf(from), newRoot: rootOf(size), proof }),
        ).toBe(true);
      }
    }
  });

  it('reads a few hundred hashes for a proof, however large it is', () => {
    expect(tiled.inclusion(40_000, 70_000).length).toBeLessThanOrEqual(17);
  });

  it('a tile that is missing is an error, never another proof', () => {
    const db = database(leaves.slice(0, 1024));
    db.exec('DELETE FROM tile WHERE idx = 1');
    expect(() => new MerkleTree(db).inclusion(1000, 1024)).toThrow(
      expect.objectContaining({ code: 'ledger_corrupt' }),
    );
  });
});

describe('the tree of a ledger with tiles', () => {
  it('gives proofs that verify under the root that verify recomputes', async () => {
    const scratch = await new Scratch().fill((ledger) => fillRun(ledger, 'run-a', 260));
    const report = await scratch.verify();
    const db = openReadOnly(scratch.path);
    const tree = new MerkleTree(db);
    const { size } = tree;
    expect(db.prepare<[], number>('SELECT count(*) AS tiles FROM tile').pluck().get()).toBe(3);
    expect([size > 768, tree.root(size)]).toEqual([true, report.root]);
    const leaves = db.prepare<[], Buffer>('SELECT hash FROM entry ORDER BY seq').pluck().all();
    for (const index of [0, 255, 256, 511, 512, 767, size - 1]) {
      const leaf = leaves[index]?.toString('hex') ?? '';
      const proof = tree.inclusion(index, size);
      expect(verifyInclusion({ index, size, leaf, root: report.root ?? '', proof })).toBe(true);
    }
    for (const from of [1, 256, 300, 512, 768]) {
      const claim = { from, to: size, oldRoot: tree.root(from), newRoot: tree.root(size) };
      expect(verifyConsistency({ ...claim, proof: tree.consistency(from, size) })).toBe(true);
    }
    db.close();
    scratch.remove();
  });
});

describe('the tree of a ledger', () => {
  let scratch: Scratch;
  beforeAll(async () => {
    scratch = await new Scratch().fill();
  });
  afterAll(() => scratch.remove());

  it('has the root that verify recomputes, and a proof for every entry', async () => {
    const report = await scratch.verify();
    const db = openReadOnly(scratch.path);
    const tree = new MerkleTree(db);
    const { size } = tree;
    expect([size, tree.root(size)]).toEqual([report.entries, report.root]);
    const leaves = db.prepare<[], Buffer>('SELECT hash FROM entry ORDER BY seq').pluck().all();
    for (const [index, leaf] of leaves.entries()) {
      const proof = tree.inclusion(index, size);
      expect(
        verifyInclusion({ index, size, leaf: leaf.toString('hex'), root: report.root ?? '', proof }),
      ).toBe(true);
    }
    db.close();
  });
});

/** Every kind of damage to a list of hashes, at places that `seed` picks. */
function mutations(proof: readonly string[], seed: number): string[][] {
  const extra = sha256Hex(`extra ${seed}`);
  const changed = [
    [...proof, extra],
    [extra, ...proof],
  ];
  if (proof.length === 0) return changed;
  const at = seed % proof.length;
  changed.push(
    proof.with(at, flip(proof[at] ?? '', seed)),
    proof.toSpliced(at, 1),
    proof.toSpliced(at, 0, extra),
  );
  changed.push(proof.slice(1), proof.slice(0, -1), proof.toSpliced(at, 0, proof[at] ?? ''));
  if (proof.length > 1) changed.push(proof.toReversed());
  return changed;
}

function flip(hash: string, seed: number): string {
  const bytes = Buffer.from(hash, 'hex');
  const at = (seed >> 3) % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (seed & 7));
  return bytes.toString('hex');
}
