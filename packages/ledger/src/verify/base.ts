import type { Database } from 'better-sqlite3';
import type { Genesis } from '../genesis/record.js';
import { keyText } from '../seal/record.js';
import { firstBase, readBase } from '../segments/base.js';
import type { Finding } from './report.js';

/** The first file of a ledger begins at its genesis, and nothing goes on in it from an older one. */
export function checkFirstBase(db: Database, genesis: Genesis): Finding | null {
  const base = readBase(db);
  const expected = firstBase(genesis);
  const isFirst =
    base !== undefined &&
    base.segment === expected.segment &&
    base.seq === expected.seq &&
    base.leaf === expected.leaf &&
    base.seals === expected.seals &&
    keyText(base.sealKey) === keyText(expected.sealKey);
  if (!isFirst) return segment('it does not begin at the genesis record');
  const carried = db
    .prepare<[], number>('SELECT (SELECT count(*) FROM carried) + (SELECT count(*) FROM carried_run)')
    .pluck()
    .get();
  return carried === 0 ? null : segment('it goes on from a file before the first');
}

function segment(detail: string): Finding {
  return { seq: 0, class: 'segment', detail };
}
