import { SublError } from '@subluminal/core-types';
import { closedName, closedSegments, segmentsFolder, type ClosedSegment } from '../segments/closed.js';

/** Closed files of a ledger that are not where they were. */
export interface MissingSegments {
  /** The first and the last of them. */
  readonly from: number;
  readonly to: number;
  /** The entries that they hold. */
  readonly first: number;
  readonly last: number;
}

/** Where the entries before the newest file stand. */
export interface Places {
  /** The closed files that are there and follow one another up to the newest file; newest first. */
  readonly chain: readonly ClosedSegment[];
  /** Those that lie before a missing one; newest first. */
  readonly beyond: readonly ClosedSegment[];
  /** Newest first. */
  readonly missing: readonly MissingSegments[];
}

/** Finds the closed files before the newest one by their names. `base`: where that begins. */
export function findPlaces(path: string, base: { readonly segment: number; readonly seq: number }): Places {
  const names = closedSegments(segmentsFolder(path)).toReversed();
  const chain: ClosedSegment[] = [];
  const beyond: ClosedSegment[] = [];
  const missing: MissingSegments[] = [];
  let [number, last] = [base.segment - 1, base.seq];
  while (number > 0 && last > 0) {
    const [to, end] = [number, last];
    const next = names.find((one) => one.number === to && one.last === end && one.first <= end);
    const older = next ?? names.find((one) => one.number < to && one.last < end && one.first <= one.last);
    if (next === undefined)
      missing.push({ from: (older?.number ?? 0) + 1, to, first: (older?.last ?? 0) + 1, last: end });
    if (older === undefined) break;
    (missing.length === 0 ? chain : beyond).push(older);
    [number, last] = [older.number - 1, older.first - 1];
  }
  return { chain, beyond, missing };
}

/** What is missing, in the words of a message: the name of one file, the numbers of several. */
export function nameOfMissing({ from, to, first, last }: MissingSegments): string {
  if (from === to) return `\`${closedName({ number: to, first, last })}\``;
  return `segments ${from} to ${to} (entries ${first} to ${last})`;
}

/** The error for an entry whose file is not there. */
export function elsewhere(path: string, what: string, missing: MissingSegments): SublError {
  const folder = segmentsFolder(path);
  const verb = missing.from === missing.to ? 'is' : 'are';
  return new SublError(
    'not_found',
    `${what} stands in ${nameOfMissing(missing)}, which ${verb} not in \`${folder}\``,
    { help: 'put back what was moved elsewhere, and ask again' },
  );
}
