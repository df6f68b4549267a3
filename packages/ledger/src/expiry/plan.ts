import type { Database, Statement } from 'better-sqlite3';
import type { ExpiryRange } from './record.js';
import { expiredUpTo } from './stored.js';

const SLICE = 2048;

interface Slice {
  readonly last: number | null;
  readonly count: number;
  readonly young: number | null;
}

/** What expires, and when it was. */
export interface ExpiryTerms {
  /** Epoch milliseconds: entries from then on keep their previews. */
  readonly before: number;
  readonly nowMs: number;
  /** Ends it early: what was not done is left for another time. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds the previews that are older than `before`: from the first entry that has kept them up to, and not including, the
 * first that is younger. In that order and not by time alone: after a clock that was wrong for a while, no preview goes
 * before an older one. An entry that carries a time that has not come yet says nothing about its age and stops nobody.
 * Gives way to other work between slices.
 *
 * @returns the range, ending at its last preview; undefined where there is none.
 */
export async function planExpiry(db: Database, terms: ExpiryTerms): Promise<ExpiryRange | undefined> {
  const slices = db.prepare<[number, number, number, number], Slice>(
    `SELECT max(seq) AS last, count(*) AS count, min(iif(ts >= ? AND ts <= ?, seq, NULL)) AS young
    FROM (SELECT blob.seq, entry.ts FROM blob JOIN entry ON entry.seq = blob.seq
      WHERE blob.seq > ? ORDER BY blob.seq LIMIT ?)`,
  );
  const from = expiredUpTo(db) + 1;
  let to = 0;
  let count = 0;
  for (let after = from - 1; ;) {
    const slice = slices.get(terms.before, terms.nowMs, after, SLICE);
    if (slice === undefined || slice.last === null) break;
    if (slice.young !== null) {
      const older = olderThan(db, after, slice.young);
      if (older.count > 0) [to, count] = [older.last ?? to, count + older.count];
      break;
    }
    // A slice may end between two previews of one entry: the next one begins with that entry again.
    const whole = slice.count < SLICE ? slice : olderThan(db, after, slice.last);
    if (whole.count > 0) [to, count] = [whole.last ?? to, count + whole.count];
    if (slice.count < SLICE || terms.signal?.aborted === true) break;
    after = to;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  return count === 0 || terms.signal?.aborted === true ? undefined : { from, to, count };
}

function olderThan(db: Database, after: number, end: number): { last: number | null; count: number } {
  const previews: Statement<[number, number], { last: number | null; count: number }> = db.prepare(
    'SELECT max(seq) AS last, count(*) AS count FROM blob WHERE seq > ? AND seq < ?',
  );
  return previews.get(after, end) ?? { last: null, count: 0 };
}
