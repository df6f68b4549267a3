import type { Database } from 'better-sqlite3';
import type { Finding } from './report.js';

/** For the ends of as many runs in the index of runs: it looks up every row in every index. */
const CACHE_KIB = 16_384;
/** The first file that SQLite finds fault with, by its place. */
export interface FaultyFile {
  readonly at: number;
  readonly finding: Finding;
}

/** Checks one file after the other. */
export function checkFiles(files: Iterable<Database>): FaultyFile | null {
  let at = 0;
  for (const db of files) {
    const finding = checkIntegrity(db);
    db.pragma('shrink_memory');
    if (finding !== null) return { at, finding };
    at += 1;
  }
  return null;
}

/**
 * SQLite's own check of every page, index, NOT NULL and STRICT type. quick_check would not notice an index
 * that was rebuilt to hide rows. A read-only connection knows no CHECK: what those demand, verify compares by
 * itself.
 */
function checkIntegrity(db: Database): Finding | null {
  db.pragma(`cache_size=-${CACHE_KIB}`);
  const [first] = db.prepare<[], string>('PRAGMA integrity_check(1)').pluck().all();
  if (first === 'ok') return null;
  const isType = /^(non-\w+|NULL|\w+) value in |^CHECK constraint/.test(first ?? '');
  return { seq: 0, class: isType ? 'type' : 'page', detail: first ?? 'the integrity check gave no answer' };
}
