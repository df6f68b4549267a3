import type { Database } from 'better-sqlite3';

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
