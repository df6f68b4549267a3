import { textAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { callOf } from '../hints.js';
import { newestRows } from './newest-rows.js';

/** Questions that are looked at, from the newest. */
const MAX_QUESTIONS = 1000;

/** The starts of the calls that questions are about, by the id of the question, as far as they are found. */
export function callsOfQuestions(
  reader: LedgerReader,
  ids: ReadonlySet<string>,
): ReadonlyMap<string, LedgerRow> {
  const found = new Map<string, LedgerRow>();
  if (ids.size === 0) return found;
  for (const row of newestRows(reader, 'approval_requested', MAX_QUESTIONS)) {
    const id = textAt(row.data, 'question', 'id');
    if (!ids.has(id)) continue;
    const first = callOf(reader, row)?.first;
    if (first !== undefined) found.set(id, first);
    if (found.size === ids.size) break;
  }
  return found;
}
