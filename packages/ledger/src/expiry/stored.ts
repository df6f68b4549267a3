import type { Database } from 'better-sqlite3';
import type { LedgerFiles } from '../read/files.js';

const NEWEST = `SELECT body->'$.data.to' FROM entry WHERE kind = 52 AND kind NOT IN (2,3,4,20,21)
  ORDER BY seq DESC LIMIT 1`;

/**
 * The last entry whose previews have expired by what one file says, 0 where it says nothing. Nothing is
 * proved by it.
 */
export function expiredUpTo(db: Database): number {
  const to = Number(db.prepare<[], string>(NEWEST).pluck().get() ?? 0);
  return Number.isSafeInteger(to) && to > 0 ? to : 0;
}

/** The same of a whole ledger: the newest file that says something. */
export function newestExpiry(files: LedgerFiles<{ readonly expiredUpTo: number }>): number {
  for (const { expiredUpTo: to } of files.newestFirst()) if (to > 0) return to;
  return 0;
}
