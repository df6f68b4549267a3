import { sha256Hex } from '@subluminal/core-types';
import { Frontier, type SubtreeListener } from '../merkle/frontier.js';
import { TILE_WIDTH } from '../merkle/tiles.js';
import { Bytes } from './bytes.js';

/** Bytes of a hash. */
export const HASH = 32;
/** 0x01 ‖ left ‖ right (RFC 6962 §2.1). */
const NODE = 1 + 2 * HASH;
const PAIRS = TILE_WIDTH / 2;

/**
 * The tree as a verification walks along it. It gives what `Frontier` gives at every size, but computes the
 * nodes a tile at a time: leaves are copied to where they are hashed, and the inputs of the nodes above them
 * are written by one call a level, which is what costs where each node is computed alone.
 */
export class GrowingTree {
  /** Over the complete tiles: its leaves are their roots. */
  #tiles = new Frontier();
  /** Leaves behind the last complete tile. */
  #count = 0;
  readonly #leaves = new Inputs();
  /** The nodes above them that are known so far, from the lowest up. */
  readonly #levels: string[][] = Array.from({ length: Math.log2(TILE_WIDTH) }, () => []);
  readonly #nodes = new Inputs();

  /**
   * One that goes on from a frontier. Nodes below its peaks are not known, and nothing needs them any more.
   */
  static from(frontier: Frontier): GrowingTree {
    const tree = new GrowingTree();
    const peaks = [...frontier.peaks];
    const whole = Math.floor(frontier.size / TILE_WIDTH);
    const rest = frontier.size % TILE_WIDTH;
    tree.#count = rest;
    if (rest % 2 === 1) tree.#leaves.bytes.octets.write(peaks.pop() ?? '', leafAt(rest - 1), 'hex');
    for (const [at, level] of tree.#levels.entries()) {
      const count = rest >> (at + 1);
      for (let node = 0; node < count; node += 1)
        level.push(node === count - 1 && count % 2 === 1 ? (peaks.pop() ?? '') : '');
    }
    tree.#tiles = new Frontier(whole, peaks);
    return tree;
  }

  get size(): number {
    return this.#tiles.size * TILE_WIDTH + this.#count;
  }

  /**
   * Adds one leaf, the hash at `at`, and tells of the subtrees of 256^n leaves that it completes, smallest
   * first.
   */
  push(hashes: Bytes, at: number, completed?: SubtreeListener): void {
    this.#leaves.bytes.copy(leafAt(this.#count), hashes, at, HASH / 4);
    this.#count += 1;
    if (this.#count < TILE_WIDTH) return;
    this.#combine();
    const root = this.#levels.at(-1)?.[0] ?? '';
    for (const level of this.#levels) level.length = 0;
    this.#count = 0;
    completed?.(1, this.#tiles.size, root);
    this.#tiles.push(root, completed && ((level, index, hash) => completed(level + 1, index, hash)));
  }

  /** The tree's root in lowercase hex; SHA-256 of nothing for the empty tree. */
  root(): string {
    return this.#frontier().root();
  }

  /** What the writer stores of it. */
  toBytes(): Buffer {
    return this.#frontier().toBytes();
  }

  #frontier(): Frontier {
    this.#combine();
    const last = leafAt(this.#count - 1);
    const leaf = this.#count % 2 === 1 ? [this.#leaves.bytes.octets.toString('hex', last, last + HASH)] : [];
    const above = this.#levels.flatMap((level) => (level.length % 2 === 1 ? level.slice(-1) : []));
    return new Frontier(this.size, [...this.#tiles.peaks, ...[...leaf, ...above].toReversed()]);
  }

  /** Computes every node whose children are known. */
  #combine(): void {
    let below: string[] | undefined;
    for (const nodes of this.#levels) {
      const known = nodes.length;
      const pairs = Math.floor((below?.length ?? this.#count) / 2);
      if (below === undefined) this.#leaves.hash(known, pairs, nodes);
      else {
        let hex = '';
        for (let at = known * 2; at < pairs * 2; at += 2) hex += `01${below[at]}${below[at + 1]}`;
        this.#nodes.bytes.octets.write(hex, 'hex');
        this.#nodes.hash(0, pairs - known, nodes);
      }
      below = nodes;
    }
  }
}

/** The bytes that the nodes of a level are hashed from, one after the other. */
class Inputs {
  readonly bytes = new Bytes(Buffer.alloc(PAIRS * NODE, 1));
  readonly #each: readonly Buffer[] = Array.from({ length: PAIRS }, (_, at) =>
    this.bytes.octets.subarray(at * NODE, (at + 1) * NODE),
  );

  /** Appends the hashes of those from the `first` on, and before the `end`. */
  hash(first: number, end: number, nodes: string[]): void {
    for (let at = first; at < end; at += 1) nodes.push(sha256Hex(this.#each[at] ?? ''));
  }
}

/** Where the leaf of that place stands among the inputs of the lowest nodes. */
function leafAt(place: number): number {
  return (place >> 1) * NODE + 1 + (place % 2) * HASH;
}
