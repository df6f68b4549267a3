import type { JsonObject } from '@subluminal/core-types';
import type { EntryType, LedgerReader, LedgerRow, Page } from '@subluminal/ledger';

const PAGE = 500;

/** Entries that are events of Contract A (Interface Pack §1.2); the others are Subluminal's own. */
const EVENTS: ReadonlySet<EntryType> = new Set<EntryType>([
  'run_start',
  'tool_call_start',
  'tool_call_decision',
  'tool_call_end',
  'run_end',
  'hint_issued',
  'policy_loaded',
  'secret_injection',
  'shim_health',
  'breaker_trip',
]);

/** The entry as an event of Contract A, null where the contract has none for it. */
export function eventOf(reader: LedgerReader, row: LedgerRow): JsonObject | null {
  return EVENTS.has(row.type) ? reader.toEvent(row) : null;
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
