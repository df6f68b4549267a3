import type { LedgerReader } from '@subluminal/ledger';
import { recordOf } from '../record.js';

/** Entries of a run that are looked through, from its last back. */
const MAX_ENTRIES = 64;

/** The object of the last call of a run that has one; null where none of its last calls does. */
export function lastObject(reader: LedgerReader, runId: string): string | null {
  for (const row of reader.byRun(runId, { limit: MAX_ENTRIES }).rows) {
    const object = row.type === 'tool_call_start' ? recordOf(reader, row).object : null;
    if (object !== null) return object;
  }
  return null;
}
