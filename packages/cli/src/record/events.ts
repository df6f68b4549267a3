import type { JsonObject } from '@subluminal/core-types';
import { isContractEvent, type LedgerReader, type LedgerRow, type Page } from '@subluminal/ledger';

const PAGE = 500;

/** The entry as an event of Contract A, null where the contract has none for it. */
export function eventOf(reader: LedgerReader, row: LedgerRow): JsonObject | null {
  return isContractEvent(row.type) ? reader.toEvent(row) : null;
}

/** The newest `count` events up to entry `size`, oldest first, of one run where one is given. */
export function newestEvents(
  reader: LedgerReader,
  runId: string | undefined,
  size: number,
  count: number,
): readonly JsonObject[] {
  const events: JsonObject[] = [];
  let cursor: number | null = size + 1;
  do {
    const page: Page<LedgerRow> =
      runId === undefined
        ? reader.all({ limit: PAGE, cursor })
        : reader.byRun(runId, { limit: PAGE, cursor });
    for (const row of page.rows) {
      const event = eventOf(reader, row);
      if (event !== null) events.push(event);
      if (events.length === count) return events.toReversed();
    }
    cursor = page.next;
  } while (cursor !== null);
  return events.toReversed();
}
