import type { Database } from 'better-sqlite3';
import { KINDS } from '../entry/kinds.js';
import type { PreparedEntry } from '../entry/prepare.js';
import { Frontier } from '../merkle/frontier.js';
import { growTiles } from '../merkle/tiles.js';
import { LAYOUT, UPGRADE_TO_2 } from '../schema/ddl.js';
import { writeBase, type Base } from '../segments/base.js';
import { systemEntry } from '../store/system-entry.js';

/**
 * Inside a transaction, gives a ledger of layout 1 the tables of layout 2 and the tiles of its tree. `proved` is the
 * tree whose root the signed head and the tail give.
 *
 * @returns what contradicts that tree, or null.
 */
export function upgradeTables(db: Database, base: Base, proved: Frontier): string | null {
  for (const statement of UPGRADE_TO_2) db.exec(statement);
  db.pragma(`user_version=${LAYOUT}`);
  writeBase(db, base);
  const computed = new Frontier();
  growTiles(db, computed);
  return computed.size === proved.size && computed.root() === proved.root()
    ? null
    : 'its entries do not give the root of the signed head';
}

/** The entry that says so; the first seal, by the log key, follows at once. */
export function migratedEntry(nowMs: number): PreparedEntry {
  return systemEntry(KINDS.migrated, nowMs, `{"from":1,"to":${LAYOUT}}`);
}
