import { nextTurn } from '@subluminal/core-types';
import type { LedgerFiles } from '../read/files.js';
import type { OneFile } from '../read/one-file.js';
import { BLOBS_AN_ENTRY } from '../schema/ddl.js';
import type { ExpiryRange } from './record.js';
import { inReadable, type Survey } from './survey.js';

const SLICE = 2048;

/** The previews of a slice, and the first that is young. */
interface Slice {
  readonly last: number | null;
  readonly count: number;
  readonly young: number | null;
}

/** What expires, and when it was. */
export interface ExpiryTerms {
  /** Epoch milliseconds: entries from then on keep their previews. `Infinity`: none does. */
  readonly before: number;
  readonly nowMs: number;
  /** Ends it early: what was not done is left for another time. */
  readonly signal?: AbortSignal | undefined;
}

/** What a look at a file found before the first young preview. */
interface Found {
  /** The last one that is old by its own time; null where none is. */
  readonly old: number | null;
  /** Previews up to that one. */
  readonly count: number;
  /** Those behind it, of times that have not come yet. */
  readonly ahead: number;
  /** Behind which entry to look on; undefined where a younger preview stands, or nothing follows. */
  readonly next: number | undefined;
}

/**
 * Finds the previews that are older than `before`: from the first entry that has kept them up to the last
 * that is old, and not beyond the first that is young. In that order and not by time alone: after a clock
 * that was wrong for a while, no preview goes before an older one. An entry that carries a time that has not
 * come yet says nothing about its age: it stops nobody, and goes once one behind it is old. So nothing goes
 * because the clock went back. Goes through the ledger's files in their order, and ends before one that is
 * not there or cannot be read: nobody knows what it keeps, and the range says how many. Gives way to other
 * work between slices.
 *
 * @returns the range, ending at its last preview; undefined where there is none.
 */
export async function planExpiry(
  files: LedgerFiles<OneFile>,
  terms: ExpiryTerms,
  { upTo, isKnown, unreadable }: Survey,
): Promise<ExpiryRange | undefined> {
  const from = upTo + 1;
  if (!isKnown || (from === 1 && files.places.missing.length > 0)) return undefined;
  let to = 0;
  let count = 0;
  let ahead = 0;
  for (let after: number | undefined = from - 1; after !== undefined;) {
    if (terms.signal?.aborted === true) return undefined;
    if (!files.holds(after + 1)) break;
    const found = lookAfter(files, after, terms, unreadable);
    if (found === undefined) break;
    if (found.old !== null) {
      to = found.old;
      count += ahead + found.count;
      ahead = 0;
    }
    ahead += found.ahead;
    after = found.next;
    await nextTurn();
  }
  return count === 0 || terms.signal?.aborted === true ? undefined : { from, to, count };
}

/** Undefined where the file behind an entry is closed and cannot be read, which is noted. */
function lookAfter(
  files: LedgerFiles<OneFile>,
  after: number,
  terms: ExpiryTerms,
  unreadable: Set<string>,
): Found | undefined {
  const { present, places } = files.now;
  const place = [...places.chain, ...places.beyond].find(
    ({ first, last }) => first <= after + 1 && after < last,
  );
  // One that was moved away meanwhile is found missing by the next look.
  if (place === undefined) return after >= present.base.seq ? look(present, after, terms) : undefined;
  const found = inReadable(() => look(files.there(place), after, terms));
  if (found !== 'unreadable') return found;
  unreadable.add(place.path);
  return undefined;
}

function look(file: OneFile, after: number, terms: ExpiryTerms): Found {
  const slice = file.db
    .prepare<[number, number, number, number], Slice>(
      `SELECT max(seq) AS last, count(*) AS count, min(iif(ts >= ? AND ts <= ?, seq, NULL)) AS young
      FROM (SELECT blob.seq, entry.ts FROM blob JOIN entry ON entry.seq = blob.seq
        WHERE blob.id >= (?+1)*${BLOBS_AN_ENTRY} ORDER BY blob.id LIMIT ?)`,
    )
    .get(terms.before, terms.nowMs, after, SLICE) ?? { last: null, count: 0, young: null };
  const { before } = terms;
  if (slice.young !== null) return { ...split(file, after, slice.young, before), next: undefined };
  if (slice.last === null) return { old: null, count: 0, ahead: 0, next: file.end };
  // A slice may end between two previews of one entry: the next one begins with that entry again.
  if (slice.count === SLICE) return { ...split(file, after, slice.last, before), next: slice.last - 1 };
  return { ...split(file, after, slice.last + 1, before), next: file.end };
}

/** The previews between two entries. */
function split(file: OneFile, after: number, end: number, before: number): Omit<Found, 'next'> {
  const range = `FROM blob JOIN entry ON entry.seq = blob.seq
    WHERE blob.id >= (?+1)*${BLOBS_AN_ENTRY} AND blob.id < ?*${BLOBS_AN_ENTRY}`;
  const { old, total } = file.db
    .prepare<[number, number, number], { old: number | null; total: number }>(
      `SELECT max(iif(ts < ?, entry.seq, NULL)) AS old, count(*) AS total ${range}`,
    )
    .get(before, after, end) ?? { old: null, total: 0 };
  if (old === null) return { old, count: 0, ahead: total };
  const count =
    file.db
      .prepare<[number, number], number>(`SELECT count(*) ${range}`)
      .pluck()
      .get(after, old + 1) ?? 0;
  return { old, count, ahead: total - count };
}
