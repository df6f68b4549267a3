import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { textAt } from '@subluminal/core-types';
import { destinationOf, NAME } from './destination.js';

/** Entries that are looked at; a program can ask for as many names as it likes. */
const MAX_ROWS = 20_000;
const PAGE = 1000;

/** The refusals of names since then, the newest first, until `isOver` says that it is enough. */
export function* refusedNames(
  reader: Pick<LedgerReader, 'byAction'>,
  sinceMs: number,
  isOver: () => boolean = () => false,
): Generator<{ readonly row: LedgerRow; readonly name: string }> {
  let cursor: number | null = null;
  for (let left = MAX_ROWS; left > 0; left -= PAGE) {
    const page: ReturnType<LedgerReader['byAction']> = reader.byAction(NAME, { limit: PAGE, cursor });
    for (const row of page.rows) {
      if (row.ts < sinceMs) return;
      // A name that nobody can have was refused for how it is written.
      if (row.tool === NAME && textAt(row.data, 'error', 'code') === 'not_allowed')
        yield { row, name: destinationOf(row) };
    }
    cursor = page.next;
    if (cursor === null || isOver()) return;
  }
}
