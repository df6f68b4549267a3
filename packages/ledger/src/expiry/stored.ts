import type { Database } from 'better-sqlite3';

const NEWEST = `SELECT body->'$.data.to' FROM entry WHERE kind = 52 AND kind NOT IN (2,3,4,20,21)
  ORDER BY seq DESC LIMIT 1`;

/** The last entry whose previews have expired, 0 while none has. Nothing is proved by it: see `verifyLedger`. */
export function expiredUpTo(db: Database): number {
  const to = Number(db.prepare<[], string>(NEWEST).pluck().get() ?? 0);
  return Number.isSafeInteger(to) && to > 0 ? to : 0;
}
