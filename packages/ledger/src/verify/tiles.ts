import type { Database, Statement } from 'better-sqlite3';
import { Frontier, type SubtreeListener } from '../merkle/frontier.js';
import { TILE_WIDTH, tileCounts } from '../merkle/tiles.js';
import type { Finding } from './report.js';

/** Compares the tiles that a file stores with the subtrees as they grow: proofs are made of them. */
export class Tiles {
  /** What is wrong with the subtree that was completed last. */
  finding: Finding | null = null;
  readonly #db: Database;
  readonly #find: Statement<[number, number], Buffer>;
  #count: number;

  /** `before`: entries of the tree before the file, whose tiles it holds as well. */
  constructor(db: Database, before: number) {
    this.#db = db;
    this.#count = tileCounts(before).reduce((sum, count) => sum + count, 0);
    this.#find = db
      .prepare<[number, number], Buffer>('SELECT hash FROM tile WHERE lvl = ? AND idx = ?')
      .pluck();
  }

  /** To be told of each subtree. */
  readonly completed: SubtreeListener = (level, index, hash) => {
    this.#count += 1;
    this.#compare(level, index, hash);
  };

  /**
   * The tiles of the entries before the file, which it was given with its base: together they give the peaks
   * of that tree, so none of them is another than it was.
   */
  checkCopied(base: Frontier): Finding | null {
    const [count = 0] = tileCounts(base.size);
    const rows = this.#db
      .prepare<[number], { idx: number; hash: unknown }>(
        'SELECT idx, hash FROM tile WHERE lvl = 1 AND idx < ? ORDER BY idx',
      )
      .iterate(count);
    const tree = new Frontier();
    for (const { idx, hash } of rows) {
      if (idx !== tree.size || !Buffer.isBuffer(hash) || hash.length !== 32) break;
      tree.push(hash.toString('hex'), (level, index, root) => this.#compare(level + 1, index, root));
      if (this.finding !== null) return this.finding;
    }
    if (tree.size < count) return tile(tree.size * TILE_WIDTH + 1, `the tile 1/${tree.size} is missing`);
    const peaks = tree.toBytes();
    if (base.toBytes().subarray(0, peaks.length).equals(peaks)) return null;
    return tile(1, `the tiles of the first ${count * TILE_WIDTH} entries do not give their tree`);
  }

  /** After the last entry: as many tiles as subtrees. */
  settle(size: number): Finding | null {
    const rows = this.#db.prepare<[], number>('SELECT count(*) FROM tile').pluck().get();
    return rows === this.#count ? null : tile(size + 1, 'there are tiles of entries that are not there');
  }

  #compare(level: number, index: number, hash: string): void {
    const stored = this.#find.get(level, index);
    if (Buffer.isBuffer(stored) && stored.toString('hex') === hash) return;
    const detail = stored === undefined ? 'is missing' : 'is not what its entries give';
    this.finding ??= tile(index * TILE_WIDTH ** level + 1, `the tile ${level}/${index} ${detail}`);
  }
}

function tile(seq: number, detail: string): Finding {
  return { seq, class: 'tile', detail };
}
