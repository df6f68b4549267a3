import type { Database } from 'better-sqlite3';
import type { Frontier } from '../src/merkle/frontier.js';

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
