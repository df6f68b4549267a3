import type { Database } from 'better-sqlite3';
import type { Finding } from './report.js';

/**
 * SQLite's own check of every page, index, NOT NULL and STRICT type. quick_check would not notice an index that was
 * rebuilt to hide rows. A read-only connection knows no CHECK: what those demand, verify compares by itself.
 */
export function checkIntegrity(db: Database): Finding | null {
  const [first] = db.prepare<[], string>('PRAGMA integrity_check(1)').pluck().all();
  if (first === 'ok') return null;
  const isType = /^(non-\w+|NULL|\w+) value in |^CHECK constraint/.test(first ?? '');
  return { seq: 0, class: isType ? 'type' : 'page', detail: first ?? 'the integrity check gave no answer' };
}
