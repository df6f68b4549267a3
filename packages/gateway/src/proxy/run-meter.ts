import { Denial } from './denial.js';
import { BytePace } from './pace.js';

/** What a run may carry. */
export interface RunAllowance {
  readonly bytesPerSecond: number | undefined;
  readonly maxRunBytes: number | undefined;
}

/** What a run has carried, and how fast it may go on. */
export class RunMeter {
  readonly #pace: BytePace | undefined;
  readonly #max: number;
  #carried: number;

  /** `carried`: what it had carried before. */
  constructor({ bytesPerSecond, maxRunBytes }: RunAllowance, carried: number, monotonic: () => number) {
    this.#pace = bytesPerSecond === undefined ? undefined : new BytePace(bytesPerSecond, monotonic);
    this.#max = maxRunBytes ?? Number.POSITIVE_INFINITY;
    this.#carried = carried;
  }

  /** Counts bytes before they go on; gives for how many milliseconds nothing more should. Throws `Denial` `budget_spent`. */
  spend(bytes: number): number {
    if (this.#carried + bytes > this.#max)
      throw new Denial('budget_spent', 'the run has used up what it may have of the network');
    this.#carried += bytes;
    return this.#pace?.spend(bytes) ?? 0;
  }
}
