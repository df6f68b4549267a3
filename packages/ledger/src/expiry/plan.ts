import type { LedgerFiles } from '../read/files.js';
import type { OneFile } from '../read/one-file.js';
import type { ExpiryRange } from './record.js';
import { newestExpiry } from './stored.js';

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

/** Older previews that a look at a file found. */
interface Found {
  readonly last: number | null;
  readonly count: number;
  /** Behind which entry to look on; undefined where a younger preview stands, or nothing follows. */
  readonly next: number | undefined;
}

/**
 * Finds the previews that are older than `before`: from the first entry that has kept them up to, and not including, the
 * first that is younger. In that order and not by time alone: after a clock that was wrong for a while, no preview goes
 * before an older one. An entry that carries a time that has not come yet says nothing about its age and stops nobody.
 * Goes through the ledger's files in their order, and ends before one that is not there: nobody knows what it keeps.
 * Gives way to other work between slices.
 *
 * @returns the range, ending at its last preview; undefined where there is none.
 */
export async function planExpiry(
  files: LedgerFiles<OneFile>,
  terms: ExpiryTerms,
): Promise<ExpiryRange | undefined> {
  const from = newestExpiry(files) + 1;
  if (from === 1 && files.places.missing.length > 0) return undefined;
  let to = 0;
  let count = 0;
  for (let after: number | undefined = from - 1; after !== undefined;) {
    if (terms.signal?.aborted === true) return undefined;
    if (!files.holds(after + 1)) break;
    const found: Found = look(files.holding(after + 1) ?? files.present, after, terms);
    if (found.count > 0) [to, count] = [found.last ?? to, count + found.count];
    after = found.next;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  return count === 0 || terms.signal?.aborted === true ? undefined : { from, to, count };
}

function look(file: OneFile, after: number, terms: ExpiryTerms): Found {
  const slice = file.db
    .prepare<[number, number, number, number], Slice>(
      `SELECT max(seq) AS last, count(*) AS count, min(iif(ts >= ? AND ts <= ?, seq, NULL)) AS young
      FROM (SELECT blob.seq, entry.ts FROM blob JOIN entry ON entry.seq = blob.seq
        WHERE blob.seq > ? ORDER BY blob.seq LIMIT ?)`,
    )
    .get(terms.before, terms.nowMs, after, SLICE) ?? { last: null, count: 0, young: null };
  if (slice.young !== null) return { ...olderThan(file, after, slice.young), next: undefined };
  // A slice may end between two previews of one entry: the next one begins with that entry again.
  if (slice.last !== null && slice.count === SLICE) {
    const whole = olderThan(file, after, slice.last);
    return { ...whole, next: whole.last ?? slice.last };
  }
  return { ...slice, next: file.end };
}

function olderThan(file: OneFile, after: number, end: number): { last: number | null; count: number } {
  return (
    file.db
      .prepare<[number, number], { last: number | null; count: number }>(
        'SELECT max(seq) AS last, count(*) AS count FROM blob WHERE seq > ? AND seq < ?',
      )
      .get(after, end) ?? { last: null, count: 0 }
  );
}
