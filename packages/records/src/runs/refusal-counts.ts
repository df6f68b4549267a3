import { textAt, type JsonObject } from '@subluminal/core-types';
import { KeptRows, type ListingReader } from '../listings/kept-rows.js';

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

/** The refused calls of a ledger, each by its member of the counts. */
export type RefusalRows = readonly KeptRows<keyof RefusalCounts>[];

/** The refused calls of a ledger, to be counted. */
export function refusalRows(reader: Pick<ListingReader, 'byDecision' | 'size'>): RefusalRows {
  return [
    new KeptRows(
      reader,
      (page) => reader.byDecision('REJECT_WITH_HINT', page),
      ({ data }) => (questionIn(data) === undefined ? 'hinted' : 'asked'),
    ),
    new KeptRows(
      reader,
      (page) => reader.byDecision('TERMINATE_RUN', page),
      () => 'ended',
    ),
  ];
}

/**
 * How many calls of each run were asked about, hinted or ended it, of runs the oldest of which began at
 * `sinceMs`. Runs without any are left out; of too many calls the newest are counted.
 */
export function refusalCounts(
  refused: RefusalRows,
  runIds: ReadonlySet<string>,
  sinceMs: number,
): ReadonlyMap<string, RefusalCounts> {
  const counts = new Map<string, { asked: number; hinted: number; ended: number }>();
  for (const rows of refused)
    for (const { fact, runId } of rows.since(sinceMs).rows) {
      if (runId === null || !runIds.has(runId)) continue;
      const count = counts.get(runId) ?? { ...NO_REFUSALS };
      counts.set(runId, count);
      count[fact] += 1;
    }
  return counts;
}

/** The counts of a run without any. */
export const NO_REFUSALS: RefusalCounts = { asked: 0, hinted: 0, ended: 0 };
