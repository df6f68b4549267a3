import { sha256Hex } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { Frontier } from './frontier.js';

/** The eight inputs and roots of the Certificate Transparency reference tests for RFC 6962. */
const INPUTS = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

function leafOf(input: string): string {
  return sha256Hex(Buffer.from(`00${input}`, 'hex'));
}

describe('Frontier', () => {
  it('has SHA-256 of nothing as the root of the empty tree', () => {
    expect(new Frontier().root()).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });

  it('gives the roots of the published RFC 6962 vectors', () => {
    const frontier = new Frontier();
    const roots = INPUTS.map((input) => {
      frontier.push(leafOf(input));
      return frontier.root();
    });
    expect(roots).toEqual(ROOTS);
  });

  it('goes on from its bytes as if it had never been stored', () => {
    for (let cut = 0; cut <= INPUTS.length; cut += 1) {
      const first = new Frontier();
      for (const input of INPUTS.slice(0, cut)) first.push(leafOf(input));
      const restored = Frontier.fromBytes(cut, first.toBytes());
      for (const input of INPUTS.slice(cut)) restored?.push(leafOf(input));
      expect(restored?.root()).toBe(ROOTS[7]);
    }
  });

  it('refuses bytes that do not fit the size', () => {
    expect(Frontier.fromBytes(3, Buffer.alloc(32))).toBeUndefined();
    expect(Frontier.fromBytes(-1, Buffer.alloc(0))).toBeUndefined();
    expect(Frontier.fromBytes(0.5, Buffer.alloc(0))).toBeUndefined();
    expect(Frontier.fromBytes(1.5, Buffer.alloc(48))).toBeUndefined();
    expect(Frontier.fromBytes(Number.NaN, Buffer.alloc(0))).toBeUndefined();
    expect(Frontier.fromBytes(2 ** 53, Buffer.alloc(32))).toBeUndefined();
  });

  it('knows the roots of its perfect subtrees by their place and width, and of no others', () => {
    const frontier = new Frontier();
    for (const input of INPUTS.slice(0, 7)) frontier.push(leafOf(input));
    const found = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((first) =>
      [1, 2, 3, 4, 8].flatMap((count) => {
        const peak = frontier.peak(first, count);
        return peak === undefined ? [] : [[first, count, peak]];
      }),
    );
    expect(found).toEqual([
      [0, 4, ROOTS[3]],
      [4, 2, frontier.peaks[1]],
      [6, 1, leafOf(INPUTS[6] ?? '')],
    ]);
  });

  it('is not changed through a clone', () => {
    const frontier = new Frontier();
    frontier.push(leafOf(''));
    frontier.clone().push(leafOf('00'));
    expect(frontier.root()).toBe(ROOTS[0]);
  });
});

describe('the subtrees that a tree completes', () => {
  it('are told of at 256 and 65,536 leaves, smallest first, with the roots that they have alone', () => {
    const frontier = new Frontier();
    const told: (readonly [number, number, string])[] = [];
    let first = new Frontier();
    for (let seq = 0; seq < 65_536; seq += 1) {
      const leaf = seq.toString(16).padStart(64, '0');
      frontier.push(leaf, (level, index, hash) => told.push([level, index, hash]));
      first.push(leaf);
      if (seq % 256 === 255) {
        expect(told.at(seq === 65_535 ? -2 : -1)).toEqual([1, (seq - 255) / 256, first.root()]);
        first = new Frontier();
      }
    }

    expect(told).toHaveLength(257);
    expect(told.at(-1)).toEqual([2, 0, frontier.root()]);
  });
});
