import { ADAPTER_ACTIONS } from '@subluminal/core-types';
import type { EntryType, Ledger, LedgerReader, SweepMemory } from '@subluminal/ledger';
import { errorText, type Logger } from '../base/logger.js';
import type { LiveRuns } from '../store/live-runs.js';
import type { SweepStore } from '../store/sweep-store.js';

/** What windows are restored from. */
export const SWEPT: { readonly actions: readonly string[]; readonly types: readonly EntryType[] } = {
  actions: ADAPTER_ACTIONS,
  types: ['run_start'],
};

/** With so many entries behind what is remembered of the ledger, it is counted on. */
export const WORTH_KEEPING = 10_000;

/** Nothing was written for so long. */
const QUIET_MS = 1000;

/**
 * With so many it no longer waits for a quiet moment: a gateway that is always busy may be killed as well.
 */
const FAR_BEHIND = 50_000;

/**
 * Entries that are counted at once, some milliseconds, and the pause between while nothing is written, and
 * otherwise.
 */
const SLICE = 2048;
const PAUSE_MS = 20;
const BUSY_PAUSE_MS = 200;

/** After a failure nothing is tried for so long. */
const FAILED_MS = 600_000;

/** What is read and written. */
export interface SweepKeeperParts {
  readonly ledger: Pick<Ledger, 'onCommit'>;
  readonly openReader: () => LedgerReader;
  readonly liveRuns: Pick<LiveRuns, 'all'>;
  readonly sweeps: Pick<SweepStore, 'write'>;
  /** What the start has counted. */
  readonly memory: SweepMemory;
  readonly log: Logger;
}

/**
 * Counts on while nothing else is to do, and slowly where that never happens, so that the next start has
 * little to count, however long this gateway has lived. What is not remembered is counted by a start.
 */
export class SweepKeeper {
  readonly #parts: SweepKeeperParts;
  #memory: SweepMemory;
  #kept: number;
  #newest: number;
  #seen = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(parts: SweepKeeperParts) {
    this.#parts = parts;
    this.#memory = parts.memory;
    this.#kept = parts.memory.upTo;
    this.#newest = parts.memory.upTo;
  }

  /** Begins to listen. Returns the function that ends it. */
  start(): () => void {
    const stop = this.#parts.ledger.onCommit(({ last }) => {
      this.#newest = last;
      if (last - this.#memory.upTo >= WORTH_KEEPING) this.#wait(QUIET_MS);
    });
    return () => {
      stop();
      this.#isOver = true;
      clearTimeout(this.#timer);
    };
  }

  #wait(ms: number): void {
    if (this.#isOver || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#goOn();
    }, ms);
    this.#timer.unref();
  }

  #goOn(): void {
    const isBusy = this.#newest !== this.#seen;
    this.#seen = this.#newest;
    if (isBusy && this.#newest - this.#memory.upTo < FAR_BEHIND) return this.#wait(QUIET_MS);
    try {
      this.#count();
      if (this.#memory.upTo < this.#newest) this.#wait(isBusy ? BUSY_PAUSE_MS : PAUSE_MS);
    } catch (error) {
      this.#parts.log.warn('the next start counts what this one leaves', { error: errorText(error) });
      this.#wait(FAILED_MS);
    }
  }

  #count(): void {
    const { openReader, liveRuns, sweeps } = this.#parts;
    const memory = this.#memory;
    const reader = openReader();
    try {
      if (!reader.holds(memory.upTo)) throw new TypeError('the file up to which it counted is not there');
      const upTo = Math.min(memory.upTo + SLICE, this.#newest);
      const question = { ...SWEPT, runIds: liveRuns.all(), since: Number.MAX_SAFE_INTEGER, memory, upTo };
      this.#memory = reader.sweep(question).memory;
    } finally {
      reader.close();
    }
    const { upTo } = this.#memory;
    if (upTo <= memory.upTo) throw new TypeError('nothing was counted');
    if (upTo < this.#newest && upTo - this.#kept < WORTH_KEEPING) return;
    sweeps.write(this.#memory);
    this.#kept = upTo;
  }
}
