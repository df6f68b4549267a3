import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';

/** Root of the empty tree: SHA-256 of nothing (RFC 6962 §2.1). */
export const EMPTY_ROOT: string = bytesToHex(sha256(new Uint8Array()));

/** Hash of an interior node over its children, all in lowercase hex (RFC 6962 §2.1). */
export function nodeHash(left: string, right: string): string {
  return bytesToHex(sha256(hexToBytes(`01${left}${right}`)));
}

/**
 * The tree of RFC 6962 over leaves that come one by one, as little of it as its root needs: the roots of its
 * perfect subtrees, largest first. The ledger's own tree does the same by
 * Node's hash, for millions of leaves; a test holds both to the same roots.
 */
export class GrowingTree {
  #size = 0;
  readonly #peaks: string[] = [];

  get size(): number {
    return this.#size;
  }

  /** Adds a leaf, lowercase hex. */
  push(leaf: string): void {
    let hash = leaf;
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2)
      hash = nodeHash(this.#peaks.pop() ?? '', hash);
    this.#peaks.push(hash);
    this.#size += 1;
  }

  /** The root in lowercase hex. */
  root(): string {
    return (
      this.#peaks.reduceRight<string | undefined>(
        (root, peak) => (root === undefined ? peak : nodeHash(peak, root)),
        undefined,
      ) ?? EMPTY_ROOT
    );
  }
}
