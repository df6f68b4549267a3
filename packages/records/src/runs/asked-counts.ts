import { textAt, type JsonObject } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';

/** Refusals that are looked at; runs of more are counted from the newest. */
const MAX_ROWS = 20_000;
const PAGE = 1000;

/** The id of the question that a refused call put to a person, out of the data of its decision. */
export function questionIn(decision: JsonObject | null): string | undefined {
  return textAt(decision, 'decision', 'hint', 'approval', 'id') || undefined;
}

/**
 * How many calls of each run were refused for a question to a person, of runs the oldest of which began at
 * `sinceMs`. Runs without any are left out. A run's summary counts these calls as blocked.
 */
export function askedCounts(
  reader: Pick<LedgerReader, 'byDecision'>,
  runIds: ReadonlySet<string>,
  sinceMs: number,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  let cursor: number | null = null;
  for (let left = MAX_ROWS; left > 0; left -= PAGE) {
    const page: ReturnType<LedgerReader['byDecision']> = reader.byDecision('REJECT_WITH_HINT', {
      limit: PAGE,
      cursor,
    });
    for (const { data, runId } of page.rows) {
      if (runId === null || !runIds.has(runId) || questionIn(data) === undefined) continue;
      counts.set(runId, (counts.get(runId) ?? 0) + 1);
    }
    cursor = page.next;
    if (cursor === null || (page.rows.at(-1)?.ts ?? 0) < sinceMs) break;
  }
  return counts;
}
