import { textAt, type JsonObject } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';

/** Refusals that are looked at; runs of more are counted from the newest. */
const MAX_ROWS = 20_000;
const PAGE = 1000;

/** Calls of a run that its summary counts as blocked, by what else they were. */
export interface RefusalCounts {
  /** Refused for a question to a person. */
  readonly asked: number;
  /** Refused with a hint. */
  readonly hinted: number;
  /** Refused with the end of the run. */
  readonly ended: number;
}

/** The id of the question that a refused call put to a person, out of the data of its decision. */
export function questionIn(decision: JsonObject | null): string | undefined {
  return textAt(decision, 'decision', 'hint', 'approval', 'id') || undefined;
}

/**
 * How many calls of each run were asked about, hinted or ended it, of runs the oldest of which began at
 * `sinceMs`. Runs without any are left out.
 */
export function refusalCounts(
  reader: Pick<LedgerReader, 'byDecision'>,
  runIds: ReadonlySet<string>,
  sinceMs: number,
): ReadonlyMap<string, RefusalCounts> {
  const counts = new Map<string, { asked: number; hinted: number; ended: number }>();
  for (const code of ['REJECT_WITH_HINT', 'TERMINATE_RUN'] as const) {
    let cursor: number | null = null;
    for (let left = MAX_ROWS; left > 0; left -= PAGE) {
      const page: ReturnType<LedgerReader['byDecision']> = reader.byDecision(code, { limit: PAGE, cursor });
      for (const { data, runId } of page.rows) {
        if (runId === null || !runIds.has(runId)) continue;
        const count = counts.get(runId) ?? { asked: 0, hinted: 0, ended: 0 };
        counts.set(runId, count);
        if (code === 'TERMINATE_RUN') count.ended += 1;
        else if (questionIn(data) === undefined) count.hinted += 1;
        else count.asked += 1;
      }
      cursor = page.next;
      if (cursor === null || (page.rows.at(-1)?.ts ?? 0) < sinceMs) break;
    }
  }
  return counts;
}

/** The counts of a run without any. */
export const NO_REFUSALS: RefusalCounts = { asked: 0, hinted: 0, ended: 0 };
