import type { EntryType, LedgerReader, LedgerRow, Page } from '@subluminal/ledger';

const PAGE = 1000;

/** Entries of one type, newest first: so many at most, and none from before `sinceMs`. */
export function* newestRows(
  reader: Pick<LedgerReader, 'byType'>,
  type: EntryType,
  most: number,
  sinceMs = Number.NEGATIVE_INFINITY,
): Generator<LedgerRow> {
  let cursor: number | null = null;
  for (let left = most; left > 0; left -= PAGE) {
    const page: Page<LedgerRow> = reader.byType(type, { limit: Math.min(PAGE, left), cursor });
    for (const row of page.rows) if (row.ts >= sinceMs) yield row;
    cursor = page.next;
    // Clocks can be set back: older entries may stand between newer ones.
    if (cursor === null || page.rows.every(({ ts }) => ts < sinceMs)) return;
  }
}
