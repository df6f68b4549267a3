import { textsAt } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import { newestRows } from './newest-rows.js';

/** Decisions that are looked at, from the newest. */
const MAX_ROWS = 5000;

/**
 * The newest call that a yes to each question let pass, by the id of the question. Questions without one are
 * left out, and so are those whose calls are older than what is looked at, or than `sinceMs`.
 */
export function passedByQuestions(
  reader: Pick<LedgerReader, 'byType'>,
  ids: ReadonlySet<string>,
  sinceMs: number,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  if (ids.size === 0) return found;
  for (const { data, ref } of newestRows(reader, 'tool_call_decision', MAX_ROWS, sinceMs)) {
    for (const id of textsAt(data, 'facts', 'approvals'))
      if (ref !== null && ids.has(id) && !found.has(id)) found.set(id, ref);
    if (found.size === ids.size) break;
  }
  return found;
}
