import type { LedgerRow } from '@subluminal/ledger';
import { textAt } from '@subluminal/core-types';
import { KeptRows, type ListingReader } from '../listings/kept-rows.js';
import { destinationOf, NAME } from './destination.js';

/** The name of an entry that tells of one that was not on the allowlist; null for any other. */
function refusedName(row: LedgerRow): string | null {
  // A name that nobody can have was refused for how it is written.
  const isOne = row.tool === NAME && textAt(row.data, 'error', 'code') === 'not_allowed';
  return isOne ? destinationOf(row) : null;
}

/** The entries of a ledger that tell of names, each by the one that it refused, or null. */
export function refusedNames(reader: Pick<ListingReader, 'byAction' | 'size'>): KeptRows<string | null> {
  return new KeptRows(reader, (page) => reader.byAction(NAME, page), refusedName);
}
