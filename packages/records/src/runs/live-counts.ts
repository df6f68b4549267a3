import { callCounts, type CallCounts, type LedgerReader, type SweepMemory } from '@subluminal/ledger';

/** Runs whose counts are kept in mind; where more go on at once, those of before are counted anew. */
const MOST_KEPT = 1000;

/** The calls so far of runs that go on, out of one ledger: what was counted once is not counted again. */
export class LiveCounts {
  #memory: SweepMemory | undefined;

  /** The counts of those runs that go on, and of those that were asked for before, by their ids. */
  of(reader: Pick<LedgerReader, 'sweep'>, runIds: readonly string[]): ReadonlyMap<string, CallCounts> {
    if (runIds.length === 0) return new Map();
    const kept = this.#memory?.runs.map(({ runId }) => runId) ?? [];
    const { memory, runs } = reader.sweep({
      // Their counts go up to one entry alike, so that those of another page are counted on, too.
      runIds: [...new Set([...runIds, ...kept.slice(0, MOST_KEPT)])],
      since: Number.MAX_SAFE_INTEGER,
      actions: [],
      types: [],
      memory: this.#memory,
    });
    this.#memory = memory;
    return new Map(runs.map((tally) => [tally.runId, callCounts(tally)]));
  }
}
