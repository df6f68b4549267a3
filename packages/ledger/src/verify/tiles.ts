import type { Database, Statement } from 'better-sqlite3';
import type { SubtreeListener } from '../merkle/frontier.js';
import { TILE_WIDTH } from '../merkle/tiles.js';
import type { Finding } from './report.js';

/** Compares the stored tiles with the subtrees as they grow: proofs are made of them. */
export class Tiles {
  /** What is wrong with the subtree that was completed last. */
  finding: Finding | null = null;
  readonly #db: Database;
  readonly #find: Statement<[number, number], Buffer>;
  #count = 0;

  constructor(db: Database) {
    this.#db = db;
    this.#find = db
      .prepare<[number, number], Buffer>('SELECT hash FROM tile WHERE lvl = ? AND idx = ?')
      .pluck();
  }

  /** To be told of each subtree. */
  readonly completed: SubtreeListener = (level, index, hash) => {
    const stored = this.#find.get(level, index);
    this.#count += 1;
    if (Buffer.isBuffer(stored) && stored.toString('hex') === hash) return;
    const detail = stored === undefined ? 'is missing' : 'is not what its entries give';
    this.finding ??= tile(index * TILE_WIDTH ** level + 1, `the tile ${level}/${index} ${detail}`);
  };

  /** After the last entry: as many tiles as subtrees. */
  settle(size: number): Finding | null {
    const rows = this.#db.prepare<[], number>('SELECT count(*) FROM tile').pluck().get();
    return rows === this.#count ? null : tile(size + 1, 'there are tiles of entries that are not there');
  }
}

function tile(seq: number, detail: string): Finding {
  return { seq, class: 'tile', detail };
}
