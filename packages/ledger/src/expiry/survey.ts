import { isSublError } from '@subluminal/core-types';
import type { LedgerFiles } from '../read/files.js';
import type { OneFile } from '../read/one-file.js';
import { SqliteError } from '../sqlite/open.js';

/** How far a ledger's previews have expired, over all of its files. */
export interface Survey {
  /** Previews up to this entry have expired, as far as readable files tell; 0 if none of them says. */
  readonly upTo: number;
  /** False where a file that cannot be read may say more. */
  readonly isKnown: boolean;
  /** Something that expired is still there: an earlier purge was cut off, or could not reach it. */
  readonly holdsExpired: boolean;
  /** The closed files that cannot be read, by their paths. */
  readonly unreadable: Set<string>;
}

/**
 * Looks into the newest file and each before it, up to the first that is missing; past those that cannot be
 * read.
 */
export function survey(files: LedgerFiles<OneFile>): Survey {
  let [upTo, isKnown, holdsExpired] = [0, true, false];
  const unreadable = new Set<string>();
  const note = (file: OneFile): void => {
    if (upTo === 0) upTo = file.expiredUpTo;
    const first = upTo === 0 ? null : file.firstPreview;
    if (first !== null && first <= upTo) holdsExpired = true;
  };
  const { present, places } = files.now;
  note(present);
  for (const place of places.chain) {
    if (inReadable(() => note(files.there(place))) !== 'unreadable') continue;
    unreadable.add(place.path);
    // The next expiry starts at the end of the last one, and this file may hold a later one than any so far.
    if (upTo === 0) isKnown = false;
  }
  return { upTo, isKnown, holdsExpired, unreadable };
}

/**
 * Gives what `read` gives; `unreadable` where a closed file is damaged, or is none. That it was moved away is
 * another matter.
 */
export function inReadable<T>(read: () => T): T | 'unreadable' {
  try {
    return read();
  } catch (error) {
    const isDamaged =
      error instanceof SqliteError || isSublError(error, 'ledger_corrupt', 'ledger_missing', 'ledger_unsafe');
    if (isDamaged) return 'unreadable';
    throw error;
  }
}
