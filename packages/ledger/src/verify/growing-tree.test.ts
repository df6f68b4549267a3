import { sha256Hex } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { Frontier } from '../merkle/frontier.js';
import { Bytes } from './bytes.js';
import { GrowingTree } from './growing-tree.js';

const hash = (hex: string): Bytes => new Bytes(Buffer.from(hex, 'hex'));

describe('the tree of a verification', () => {
  it('gives the root, the bytes and the subtrees that a frontier gives, whenever it is asked', () => {
    const heard: unknown[] = [];
    const expected: unknown[] = [];
    const tree = new GrowingTree();
    const frontier = new Frontier();
    for (let size = 0; size <= 66_000; size += 1) {
      if (size % 256 < 3 || size % 97 === 0 || size % 256 > 253) {
        expect(tree.size).toBe(size);
        expect(tree.root()).toBe(frontier.root());
        expect(tree.toBytes()).toEqual(frontier.toBytes());
      }
      const leaf = sha256Hex(`leaf ${size}`);
      tree.push(hash(leaf), 0, (...subtree) => heard.push([size, ...subtree]));
      frontier.push(leaf, (...subtree) => expected.push([size, ...subtree]));
    }
    expect(heard).toEqual(expected);
    expect(heard).toHaveLength(258);
  });

  it.each([0, 1, 2, 255, 256, 257, 1027, 3 * 256 + 171, 65_535, 65_537])(
    'goes on from a frontier of %i leaves',
    (start) => {
      const frontier = new Frontier();
      const leaf = (size: number): string => sha256Hex(`leaf ${size}`);
      for (let size = 0; size < start; size += 1) frontier.push(leaf(size));
      const tree = GrowingTree.from(frontier);
      const heard: unknown[] = [];
      const expected: unknown[] = [];
      for (let size = start; size <= start + 600; size += 1) {
        expect(tree.size).toBe(size);
        expect(tree.root()).toBe(frontier.root());
        expect(tree.toBytes()).toEqual(frontier.toBytes());
        tree.push(hash(leaf(size)), 0, (...subtree) => heard.push([size, ...subtree]));
        frontier.push(leaf(size), (...subtree) => expected.push([size, ...subtree]));
      }
      expect(heard).toEqual(expected);
    },
  );

  it('tells nobody where nobody listens', () => {
    const frontier = new Frontier();
    for (let size = 0; size < 65_535; size += 1) frontier.push(sha256Hex(`leaf ${size}`));
    const tree = GrowingTree.from(frontier);
    for (const leaf of ['a', 'b'].map((text) => sha256Hex(text))) {
      tree.push(hash(leaf), 0);
      frontier.push(leaf);
    }
    expect(tree.size).toBe(65_537);
    expect(tree.root()).toBe(frontier.root());
  });
});
