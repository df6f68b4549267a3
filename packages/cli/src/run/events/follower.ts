import { SublError } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';

const PAGE = 500;
/** Between two looks: a hundred runs may be followed on one machine. */
const PAUSE_MS = 200;

/** Takes a run's entries: each page in order, the next one only when this one is dealt with. */
export type TakeRows = (rows: readonly LedgerRow[], reader: LedgerReader) => Promise<void>;

/**
 * Follows one run through the ledger, from its first entry to its `run_end`. Entries of a run are numbered,
 * so that one which is missing is noticed.
 */
export class RunFollower {
  readonly #reader: LedgerReader;
  readonly #runId: string;
  readonly #now: () => number;
  readonly #written: () => string;
  #isOver = false;
  #wake: (() => void) | undefined;
  #quietMs = Number.POSITIVE_INFINITY;
  #seq = 0;
  #index: number | undefined;

  /** `written` changes with every write to the ledger: where it has not, nothing is opened. */
  constructor(reader: LedgerReader, runId: string, now: () => number, written: () => string) {
    this.#written = written;
    this.#reader = reader;
    this.#runId = runId;
    this.#now = now;
  }

  /** The run is over: what is missing is on its way, or will not come where nothing has for `quietMs`. */
  hurry(quietMs: number): void {
    this.#quietMs = quietMs;
    this.#isOver = true;
    this.#wake?.();
  }

  /**
   * Resolves when `take` has dealt with the `run_end`. Closes the reader.
   *
   * @throws SublError `failed` where the end, or an entry before it, does not come; those of the reader and
   * of `take`.
   */
  async follow(take: TakeRows): Promise<void> {
    let quietSince = this.#now();
    let seen = '';
    try {
      for (;;) {
        const isLast = this.#isOver;
        const written = this.#written();
        const rows = isLast || written !== seen ? this.#next() : [];
        seen = rows.length < PAGE ? written : '';
        if (rows.length > 0) {
          await take(rows, this.#reader);
          if (rows.at(-1)?.type === 'run_end') return;
          quietSince = this.#now();
        } else if (isLast && this.#now() - quietSince >= this.#quietMs) {
          throw new SublError('failed', 'the ledger does not hold the end of the run');
        }
        // Between two looks the ledger may go on in another file, which nobody may keep open.
        this.#reader.release();
        if (rows.length < PAGE) await this.#pause(isLast);
        if (!isLast) quietSince = this.#now();
      }
    } finally {
      this.#reader.close();
    }
  }

  #next(): readonly LedgerRow[] {
    const { rows } = this.#reader.byRun(this.#runId, { order: 'asc', cursor: this.#seq, limit: PAGE });
    for (const { seq, runIndex, type } of rows) {
      const isNext = this.#index === undefined ? type === 'run_start' : runIndex === this.#index + 1;
      if (!isNext) {
        throw new SublError('failed', `entries of the run are missing before entry ${seq}`, {
          help: 'run `sub audit verify`',
        });
      }
      this.#index = runIndex;
      this.#seq = seq;
    }
    return rows;
  }

  /** Until the next look, or at once when the run is over. */
  #pause(isLast: boolean): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(wake, isLast ? PAUSE_MS / 10 : PAUSE_MS);
      this.#wake = wake;
    });
  }
}
