import { Bucket } from '@subluminal/gateway';
import { Denial } from '../denial.js';

/**
 * The bytes that a run may carry: so many bytes a second, and so many more in all, those of its open
 * connections included; null for no end.
 */
export interface RunAllowance {
  readonly bytesPerSecond: number | undefined;
  readonly bytesLeft: () => number | null;
}

/** What a run carries, and how fast it may go on. */
export class RunMeter {
  readonly #pace: Bucket | undefined;
  readonly #monotonic: () => number;
  readonly #bytesLeft: () => number | null;
  /** Carried, and not yet in the record as an end. */
  #live = 0;

  /**
   * `monotonic` gives milliseconds of a clock that only goes forward. A second's worth may be spent at once.
   */
  constructor({ bytesPerSecond, bytesLeft }: RunAllowance, monotonic: () => number) {
    this.#pace =
      bytesPerSecond === undefined
        ? undefined
        : new Bucket({ burst: bytesPerSecond, perSecond: bytesPerSecond }, monotonic());
    this.#monotonic = monotonic;
    this.#bytesLeft = bytesLeft;
  }

  /**
   * Counts bytes before they go on; gives for how many milliseconds nothing more should. Throws `Denial`
   * `budget_spent`.
   */
  spend(bytes: number): number {
    const left = this.#bytesLeft();
    if (left !== null && this.#live + bytes > left)
      throw new Denial('budget_spent', 'the run has used up what it may have of the network');
    this.#live += bytes;
    return this.#pace?.spend(bytes, this.#monotonic()) ?? 0;
  }

  /** So many bytes are part of the record. */
  recorded(bytes: number): void {
    this.#live -= bytes;
  }
}
