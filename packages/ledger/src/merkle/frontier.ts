import { sha256Hex } from '@subluminal/core-types';

const EMPTY_ROOT = sha256Hex('');

/** Interior node of RFC 6962 §2.1: SHA-256(0x01 ‖ left ‖ right). */
export function nodeHash(left: string, right: string): string {
  return sha256Hex(Buffer.from(`01${left}${right}`, 'hex'));
}

/**
 * The compact frontier of an RFC 6962 Merkle tree: the roots of its perfect subtrees, largest first. It is all that is
 * needed to add leaves and to know the root; 32 bytes a set bit of the size.
 */
export class Frontier {
  #size: number;
  readonly #peaks: string[];

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

  /** Adds one leaf hash (lowercase hex). */
  push(leaf: string): void {
    let hash = leaf;
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2)
      hash = nodeHash(this.#peaks.pop() ?? '', hash);
    this.#peaks.push(hash);
    this.#size += 1;
  }

  /** The tree's root in lowercase hex; SHA-256 of nothing for the empty tree. */
  root(): string {
    let root: string | undefined;
    for (let at = this.#peaks.length - 1; at >= 0; at -= 1) {
      const peak = this.#peaks[at] ?? '';
      root = root === undefined ? peak : nodeHash(peak, root);
    }
    return root ?? EMPTY_ROOT;
  }

  toBytes(): Buffer {
    return Buffer.from(this.#peaks.join(''), 'hex');
  }

  clone(): Frontier {
    return new Frontier(this.#size, this.#peaks);
  }
}

function countBits(size: number): number {
  let bits = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) bits += rest % 2;
  return bits;
}
