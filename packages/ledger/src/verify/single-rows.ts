import type { Database } from 'better-sqlite3';
import type { Finding } from './report.js';

interface Shape {
  readonly rows: number;
  /** The smallest. */
  readonly id: number | null;
  /** Of every row, one after the other: those of two rows are never those of one. */
  readonly types: string | null;
}

/**
 * `genesis`, `head` and `base` hold one row each, with the id 1. Their CHECK says so, but SQLite leaves CHECK
 * constraints out on a read-only connection, its integrity check included: a second row could show a reader
 * another genesis.
 */
export function checkSingleRows(db: Database): Finding | null {
  const genesis = db.prepare<[], Shape>(
    'SELECT count(*) AS rows, min(id) AS id, group_concat(typeof(record)) AS types FROM genesis',
  );
  const { rows, id, types } = genesis.get() ?? NO_ROW;
  if (id !== 1 || types !== 'text')
    return { seq: 0, class: 'genesis', detail: `there are ${rows} genesis records, or it is not a text` };
  const head = db.prepare<[], Shape>(
    `SELECT count(*) AS rows, min(id) AS id, group_concat(
    typeof(note)||typeof(frontier)||typeof(open)||typeof(mark_size)||typeof(mark_frontier)) AS types FROM head`,
  );
  const found = head.get() ?? NO_ROW;
  if (found.id === 1 && found.types === 'textblobtextintegerblob') return checkBase(db);
  const detail = `there are ${found.rows} heads, or one with columns of other types`;
  return { seq: 0, class: 'head', detail: found.rows === 0 ? 'there is no head' : detail };
}

function checkBase(db: Database): Finding | null {
  const base = db.prepare<[], Shape>(
    `SELECT count(*) AS rows, min(id) AS id, group_concat(typeof(segment)||typeof(seq)||typeof(leaf)||
    typeof(frontier)||typeof(seals)||typeof(seal_key)) AS types FROM base`,
  );
  const { rows, id, types } = base.get() ?? NO_ROW;
  if (id === 1 && types === 'integerintegerblobblobintegerblob') return null;
  return {
    seq: 0,
    class: 'segment',
    detail: `it says ${rows} times where it begins, or not in the right types`,
  };
}

const NO_ROW: Shape = { rows: 0, id: null, types: null };
