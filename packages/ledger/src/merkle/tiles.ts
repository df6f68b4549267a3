import type { Database } from 'better-sqlite3';
import type { Frontier } from './frontier.js';

/** Leaves below a tile of level 1, and tiles below one of the next level. */
export const TILE_WIDTH = 256;

/** How many tiles of each level, from 1 up, a tree of `size` leaves has. */
export function tileCounts(size: number): number[] {
  const counts: number[] = [];
  for (let count = Math.floor(size / TILE_WIDTH); count > 0; count = Math.floor(count / TILE_WIDTH))
    counts.push(count);
  return counts;
}

/**
 * A glance at the stored tiles: as many of each level as the tree has, numbered without a gap. Their hashes
 * are the verification's.
 *
 * @returns what is wrong, or null.
 */
export function misplacedTile(db: Database, size: number): string | null {
  const newest = db.prepare<[number], number | null>('SELECT max(idx) FROM tile WHERE lvl = ?').pluck();
  const counts = tileCounts(size);
  const wrong = [...counts, 0].findIndex((count, at) => (newest.get(at + 1) ?? -1) !== count - 1);
  return wrong === -1 ? null : `its tiles of level ${wrong + 1} do not fit its ${size} entries`;
}

/** Computes the tree from the stored leaves; `into` grows by them and stores what it completes. */
export function growTiles(db: Database, into: Frontier): void {
  const insert = db.prepare<[number, number, Buffer]>('INSERT INTO tile(lvl,idx,hash) VALUES(?,?,?)');
  const leaves = db
    .prepare<[number], Buffer>(`SELECT hash FROM entry NOT INDEXED WHERE seq > ? ORDER BY seq LIMIT 4096`)
    .pluck();
  const next = (): Buffer[] => leaves.all(into.size);
  for (let page = next(); page.length > 0; page = next()) {
    for (const leaf of page) {
      into.push(leaf.toString('hex'), (level, index, hash) => {
        insert.run(level, index, Buffer.from(hash, 'hex'));
      });
    }
  }
}
