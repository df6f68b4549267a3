import { sha256Hex } from '@subluminal/core-types';
import { Frontier, type SubtreeListener } from '../merkle/frontier.js';
import { TILE_WIDTH } from '../merkle/tiles.js';

/** 0x01 ‖ left ‖ right (RFC 6962 §2.1). */
const NODE = 65;
const PAIRS = TILE_WIDTH / 2;

/**
 * The tree as a verification walks along it. It gives what `Frontier` gives at every size, but computes the
 * nodes a tile at a time: their inputs are written by one call a level, which is what costs where each node
 * is computed alone.
 */
export class GrowingTree {
  /** Over the complete tiles: its leaves are their roots. */
  #tiles = new Frontier();
  /** The nodes below the next tile that are known so far, from the leaves up. */
  readonly #levels: string[][] = Array.from({ length: Math.log2(TILE_WIDTH) + 1 }, () => []);
  readonly #inputs = Buffer.alloc(PAIRS * NODE);
  readonly #input: readonly Buffer[] = Array.from({ length: PAIRS }, (_, at) =>
    this.#inputs.subarray(at * NODE, (at + 1) * NODE),
  );

  /**
   * One that goes on from a frontier. Nodes below its peaks are not known, and nothing needs them any more.
   */
  static from(frontier: Frontier): GrowingTree {
    const tree = new GrowingTree();
    const peaks = [...frontier.peaks];
    const whole = Math.floor(frontier.size / TILE_WIDTH);
    const rest = frontier.size % TILE_WIDTH;
    for (let height = 0; height < tree.#levels.length; height += 1) {
      const level = tree.#levels[height] ?? [];
      const count = rest >> height;
      for (let node = 0; node < count; node += 1)
        level.push(node === count - 1 && count % 2 === 1 ? (peaks.pop() ?? '') : '');
    }
    tree.#tiles = new Frontier(whole, peaks);
    return tree;
  }

  get size(): number {
    return this.#tiles.size * TILE_WIDTH + this.#leaves.length;
  }

  get #leaves(): string[] {
    return this.#levels[0] ?? [];
  }

  /**
   * Adds one leaf hash (lowercase hex), and tells of the subtrees of 256^n leaves that it completes, smallest
   * first.
   */
  push(leaf: string, completed?: SubtreeListener): void {
    const leaves = this.#leaves;
    if (leaves.push(leaf) < TILE_WIDTH) return;
    this.#combine();
    const root = this.#levels.at(-1)?.[0] ?? '';
    for (const level of this.#levels) level.length = 0;
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
    const below = this.#levels.flatMap((level) => (level.length % 2 === 1 ? level.slice(-1) : []));
    return new Frontier(this.size, [...this.#tiles.peaks, ...below.toReversed()]);
  }

  /** Computes every node whose children are known. */
  #combine(): void {
    for (let height = 1; height < this.#levels.length; height += 1) {
      const below = this.#levels[height - 1] ?? [];
      const nodes = this.#levels[height] ?? [];
      const known = nodes.length;
      const pairs = Math.floor(below.length / 2);
      let hex = '';
      for (let at = known * 2; at < pairs * 2; at += 2) hex += `01${below[at]}${below[at + 1]}`;
      this.#inputs.write(hex, 'hex');
      for (let at = 0; at < pairs - known; at += 1) nodes.push(sha256Hex(this.#input[at] ?? ''));
    }
  }
}
