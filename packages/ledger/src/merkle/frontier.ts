import { sha256Hex } from '@subluminal/core-types';
import { EMPTY_ROOT } from './hashes.js';

/** A tile of the tree covers 2^8 nodes of the level below. */
const TILE_HEIGHT = 8;

/** Told of each complete subtree of 256^`level` leaves (level ≥ 1), the `index`-th of its level. */
export type SubtreeListener = (level: number, index: number, hash: string) => void;

/**
 * The compact frontier of an RFC 6962 Merkle tree: the roots of its perfect subtrees, largest first. It is
 * all that is needed to add leaves and to know the root; 32 bytes a set bit of the size.
 */
export class Frontier {
  #size: number;
  readonly #peaks: string[];
  /** 0x01 ‖ left ‖ right, written anew for every interior node (RFC 6962 §2.1). */
  readonly #node = Buffer.alloc(65, 1);

  constructor(size = 0, peaks: readonly string[] = []) {
    this.#size = size;
    this.#peaks = [...peaks];
  }

  /** Reads what `toBytes` wrote; undefined where the length does not fit the size. */
  static fromBytes(size: number, bytes: Uint8Array): Frontier | undefined {
    if (!Number.isSafeInteger(size) || size < 0 || bytes.length !== 32 * countBits(size)) return undefined;
    const hex = Buffer.from(bytes).toString('hex');
    return new Frontier(size, hex.match(/.{64}/g) ?? []);
  }

  get size(): number {
    return this.#size;
  }

  /** The roots of its perfect subtrees in lowercase hex, largest first. */
  get peaks(): readonly string[] {
    return this.#peaks;
  }

  /**
   * Adds one leaf hash (lowercase hex), and tells of the subtrees of 256^n leaves that it completes, smallest
   * first.
   */
  push(leaf: string, completed?: SubtreeListener): void {
    let hash = leaf;
    let height = 0;
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2) {
      hash = this.#hash(this.#peaks.pop() ?? '', hash);
      height += 1;
      if (height % TILE_HEIGHT === 0) completed?.(height / TILE_HEIGHT, (rest - 1) / 2, hash);
    }
    this.#peaks.push(hash);
    this.#size += 1;
  }

  /** The tree's root in lowercase hex; SHA-256 of nothing for the empty tree. */
  root(): string {
    let root: string | undefined;
    for (let at = this.#peaks.length - 1; at >= 0; at -= 1) {
      const peak = this.#peaks[at] ?? '';
      root = root === undefined ? peak : this.#hash(peak, root);
    }
    return root ?? EMPTY_ROOT;
  }

  /**
   * The root of the perfect subtree over the leaves `first` … `first + count - 1`, if it is one of the
   * frontier's.
   */
  peak(first: number, count: number): string | undefined {
    let begin = 0;
    for (const peak of this.#peaks) {
      let width = 1;
      while (width * 2 <= this.#size - begin) width *= 2;
      if (begin === first && width === count) return peak;
      begin += width;
    }
    return undefined;
  }

  toBytes(): Buffer {
    return Buffer.from(this.#peaks.join(''), 'hex');
  }

  clone(): Frontier {
    return new Frontier(this.#size, this.#peaks);
  }

  #hash(left: string, right: string): string {
    this.#node.write(left, 1, 'hex');
    this.#node.write(right, 33, 'hex');
    return sha256Hex(this.#node);
  }
}

function countBits(size: number): number {
  let bits = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) bits += rest % 2;
  return bits;
}
