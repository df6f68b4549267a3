import { objectAt, type JsonObject } from '@subluminal/core-types';
import { isContractEvent, type LedgerReader, type LedgerRow, type Page } from '@subluminal/ledger';
import { flaggedJson } from './flags.js';
import { objectOf } from './objects/object.js';
import { opensRecord, recordOf, toolOf } from './record.js';

const PAGE = 500;

/** The entry as an event of Contract A, null where the contract has none for it. */
export function eventOf(reader: LedgerReader, row: LedgerRow): JsonObject | null {
  return isContractEvent(row.type) ? reader.toEvent(row) : null;
}

/** The same with the object of a call, redacted as its arguments are. */
export function toldEvent(reader: LedgerReader, row: LedgerRow): JsonObject | null {
  const event = eventOf(reader, row);
  if (event === null || row.type !== 'tool_call_start') return event;
  const object = objectOf(reader, row, reader.referring(row.seq) ?? null);
  return { ...event, call: { ...objectAt(event, 'call'), object } };
}

/**
 * The newest entries up to entry `size` as programs are told of them, oldest first, and of one run where one
 * is given. They are events of Contract A, and records for actions, which the contract has no events for.
 */
export function newestTold(
  reader: LedgerReader,
  runId: string | undefined,
  size: number,
  count: number,
): readonly JsonObject[] {
  const told: JsonObject[] = [];
  let cursor: number | null = size + 1;
  do {
    const page: Page<LedgerRow> =
      runId === undefined
        ? reader.all({ limit: PAGE, cursor })
        : reader.byRun(runId, { limit: PAGE, cursor });
    for (const row of page.rows) {
      const one = toldEvent(reader, row) ?? actionUpTo(reader, row, size);
      if (one !== null) told.push(one);
      if (told.length === count) return told.toReversed();
    }
    cursor = page.next;
  } while (cursor !== null);
  return told.toReversed();
}

/** The action that an entry opens; null for other entries, and where it has ended since. */
function actionUpTo(reader: LedgerReader, row: LedgerRow, size: number): JsonObject | null {
  if (!opensRecord(row)) return null;
  const record = recordOf(reader, row);
  return toolOf(record) !== null || (record.last?.seq ?? 0) > size ? null : flaggedJson(reader, record);
}
