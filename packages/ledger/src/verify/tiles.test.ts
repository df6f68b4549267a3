import SqliteDatabase, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Frontier } from '../merkle/frontier.js';
import { TILE_WIDTH } from '../merkle/tiles.js';
import type { Finding } from './report.js';
import { Tiles } from './tiles.js';

/** The table as somebody else may have made it: without constraints. */
let db: Database;
beforeEach(() => {
  db = new SqliteDatabase(':memory:');
  db.exec('CREATE TABLE tile(lvl, idx, hash)');
});
afterEach(() => db.close());

const hashOf = (index: number): string => (index + 1).toString(16).padStart(64, '0');
const put = (level: number, index: number, hash: string): void =>
  void db.prepare('INSERT INTO tile VALUES(?, ?, ?)').run(level, index, Buffer.from(hash, 'hex'));
const told = (finding: Finding | null): unknown =>
  finding === null ? null : `${finding.class} ${finding.seq}: ${finding.detail}`;

/**
 * Stores so many tiles of the first level with all above them, and gives the tree of their entries and a few
 * more.
 */
function store(count: number, more = 0): Frontier {
  const above = new Frontier();
  for (let index = 0; index < count; index += 1) {
    put(1, index, hashOf(index));
    above.push(hashOf(index), (level, at, hash) => put(level + 1, at, hash));
  }
  const below = new Frontier();
  for (let leaf = 0; leaf < more; leaf += 1) below.push(hashOf(1000 + leaf));
  const tree = Frontier.fromBytes(
    count * TILE_WIDTH + more,
    Buffer.concat([above.toBytes(), below.toBytes()]),
  );
  if (tree === undefined) throw new Error('the tree does not have that size');
  return tree;
}

describe('the tiles that a file was given', () => {
  it.each([
    [0, 0],
    [0, 255],
    [1, 0],
    [3, 77],
    [256, 0],
    [259, 1],
  ])('give the tree of the entries before it: %d tiles and %d entries', (count, more) => {
    const base = store(count, more);
    const tiles = new Tiles(db, base.size);
    expect(tiles.checkCopied(base)).toBeNull();
    expect(tiles.finding).toBeNull();
    expect(tiles.settle(base.size)).toBeNull();
  });

  it.each([
    ['changed', 'UPDATE tile SET hash = zeroblob(32) WHERE idx = 1', 1, 'the tiles of the first 768 entries'],
    ['missing', 'DELETE FROM tile WHERE idx = 1', 257, 'the tile 1/1 is missing'],
    ['missing at the end', 'DELETE FROM tile WHERE idx = 2', 513, 'the tile 1/2 is missing'],
    ['missing at the beginning', 'DELETE FROM tile WHERE idx = 0', 1, 'the tile 1/0 is missing'],
    ['a text', `UPDATE tile SET hash = CAST(hash AS TEXT) WHERE idx = 1`, 257, 'the tile 1/1 is missing'],
    ['NULL', `UPDATE tile SET hash = NULL WHERE idx = 1`, 257, 'the tile 1/1 is missing'],
    ['too short', 'UPDATE tile SET hash = substr(hash, 2) WHERE idx = 1', 257, 'the tile 1/1 is missing'],
    [
      'too long',
      `UPDATE tile SET hash = CAST(hash || x'00' AS BLOB) WHERE idx = 1`,
      257,
      'the tile 1/1 is missing',
    ],
    ['there twice', 'INSERT INTO tile SELECT * FROM tile WHERE idx = 1', 513, 'the tile 1/2 is missing'],
  ])('are found where one is %s', (_, sql, seq, detail) => {
    const base = store(3, 5);
    db.exec(sql);
    expect(told(new Tiles(db, base.size).checkCopied(base))).toContain(`tile ${seq}: ${detail}`);
  });

  it.each([
    ['changed', 'UPDATE tile SET hash = zeroblob(32) WHERE lvl = 2', 'is not what its entries give'],
    ['a text', `UPDATE tile SET hash = 'ab' WHERE lvl = 2`, 'is not what its entries give'],
    ['missing', 'DELETE FROM tile WHERE lvl = 2', 'is missing'],
  ])('are found where one of the second level is %s', (_, sql, detail) => {
    const base = store(257);
    db.exec(sql);
    // Before any that are wrong behind it.
    db.exec('DELETE FROM tile WHERE lvl = 1 AND idx = 256');
    expect(told(new Tiles(db, base.size).checkCopied(base))).toBe(`tile 1: the tile 2/0 ${detail}`);
  });

  it('are as many as there are subtrees', () => {
    const base = store(3);
    put(1, 3, hashOf(3));
    const tiles = new Tiles(db, base.size);
    expect(tiles.checkCopied(base)).toBeNull();
    expect(told(tiles.settle(800))).toBe('tile 801: there are tiles of entries that are not there');
    tiles.completed(1, 3, hashOf(3));
    expect([tiles.finding, tiles.settle(1024)]).toEqual([null, null]);
    tiles.completed(1, 4, hashOf(4));
    expect(told(tiles.settle(1280))).toBe('tile 1281: there are tiles of entries that are not there');
  });
});

describe('the tiles of a file', () => {
  it.each([
    ['is not what its entries give', 2, hashOf(9)],
    ['is missing', 7, hashOf(2)],
  ])('are found where one %s, the first of them', (detail, at, hash) => {
    const tiles = new Tiles(db, 0);
    put(1, 0, hashOf(0));
    put(1, at, hash);
    tiles.completed(1, 0, hashOf(0));
    expect(tiles.finding).toBeNull();
    tiles.completed(1, 2, hashOf(2));
    tiles.completed(1, 3, hashOf(3));
    expect(told(tiles.finding)).toBe(`tile 513: the tile 1/2 ${detail}`);
  });

  it('stand each on its level', () => {
    const tiles = new Tiles(db, 0);
    put(2, 0, hashOf(0));
    tiles.completed(1, 0, hashOf(0));
    expect(told(tiles.finding)).toBe('tile 1: the tile 1/0 is missing');
    const others = new Tiles(db, 0);
    others.completed(2, 1, hashOf(0));
    expect(told(others.finding)).toBe('tile 65537: the tile 2/1 is missing');
  });
});
