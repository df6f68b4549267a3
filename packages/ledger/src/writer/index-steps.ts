import { BLOCK_ENTRIES } from '../lookup/block.js';
import type { IndexReport } from '../lookup/filler.js';
import type { Driver } from './driver.js';
import { Later } from './later.js';

/** A step of the index takes 0.7 ms, and no call waits for more than one of them. */
const PAUSE_MS = 30;

const EMPTY: IndexReport = { upTo: 0, failure: null };

/**
 * Takes the index further behind the commits, a block at a time and with a pause between two. An index that
 * cannot be kept costs readers time, and nobody else anything.
 */
export class IndexSteps {
  readonly #timer: Later;
  #report = EMPTY;
  #isDue = false;

  /** `onDue` has the next step taken between two commits. */
  constructor(onDue: () => void) {
    this.#timer = new Later(
      () => {
        this.#isDue = true;
        onDue();
      },
      { keepsProcess: false },
    );
  }

  /** How far the index goes. */
  get report(): IndexReport {
    return this.#report;
  }

  /** The ledger goes on in another file, or was opened again. */
  restart(): void {
    this.#report = EMPTY;
  }

  /** Asks for a step after the pause, where the ledger, which ends with entry `seq`, has another block. */
  later(seq: number): void {
    const { upTo, failure } = this.#report;
    if (failure === null && seq - upTo >= BLOCK_ENTRIES) this.#timer.set(PAUSE_MS);
  }

  /** Whether a step is due. It is not due again before the next pause. */
  takeDue(): boolean {
    const isDue = this.#isDue;
    this.#isDue = false;
    return isDue;
  }

  async step(driver: Driver | undefined): Promise<void> {
    try {
      if (driver !== undefined) this.#report = await driver.index();
    } catch (error) {
      this.#report = { ...this.#report, failure: error instanceof Error ? error.message : String(error) };
    }
  }

  stop(): void {
    this.#timer.stop();
  }
}
