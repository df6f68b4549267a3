import type { Database } from 'better-sqlite3';
import { MerkleTree } from '../merkle/tree.js';
import type { Finding } from './report.js';

/** An audit reference that somebody kept: entry `seq` had this leaf, and so all before it was as it was. */
export interface Receipt {
  readonly seq: number;
  /** Lowercase hex. */
  readonly leaf: string;
}

/** A signed checkpoint that stands somewhere outside: the ledger had this root at this size. */
export interface AnchoredRoot {
  readonly size: number;
  /** Lowercase hex. */
  readonly root: string;
  /** Where it stands, for people. */
  readonly source: string;
}

/** What the outside remembers besides heads.log. */
export interface OutsideMemory {
  readonly receipts?: readonly Receipt[];
  readonly anchors?: readonly AnchoredRoot[];
  /** A sentence on an anchor that was damaged, or belongs to another ledger; null where there is none. */
  readonly brokenAnchor?: string | null;
}

/**
 * Holds receipts and anchors against a ledger whose hashes have been recomputed. A contradiction with any of them is
 * final: nothing in the ledger can explain it away.
 */
export function checkOutside(db: Database, memory: OutsideMemory): Finding | null {
  const { receipts = [], anchors = [], brokenAnchor = null } = memory;
  if (brokenAnchor !== null) return { seq: 0, class: 'anchor', detail: brokenAnchor };
  return checkReceipts(db, receipts) ?? checkAnchors(db, anchors);
}

function checkReceipts(db: Database, receipts: readonly Receipt[]): Finding | null {
  const leafOf = db.prepare<[number], Buffer>('SELECT hash AS leaf FROM entry WHERE seq = ?').pluck();
  for (const { seq, leaf } of receipts) {
    const found = leafOf.get(seq)?.toString('hex');
    if (found === leaf) continue;
    const detail =
      found === undefined ? 'it is not there, and a receipt names it' : 'a receipt names another leaf';
    return { seq, class: 'receipt', detail };
  }
  return null;
}

function checkAnchors(db: Database, anchors: readonly AnchoredRoot[]): Finding | null {
  const tree = new MerkleTree(db);
  const { size: entries } = tree;
  for (const { size, root, source } of anchors) {
    if (size > entries) {
      return {
        seq: entries + 1,
        class: 'anchor',
        detail: `it is not there, ${source} knows ${size} entries`,
      };
    }
    if (tree.root(size) !== root) {
      return { seq: size, class: 'anchor', detail: `${source} names another root at this size` };
    }
  }
  return null;
}
