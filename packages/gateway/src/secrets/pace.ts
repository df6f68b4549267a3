import type { Clock } from '../base/clock.js';
import { SlidingWindow } from '../pace/sliding-window.js';

/**
 * How often servers of one run may ask for secrets: each asking reads the configuration, and leaves entries.
 */
const PER_MINUTE = 120;
const WINDOW_MS = 60_000;

/** How often the servers of a run have asked for secrets in the last minute. */
export class ReleasePace {
  readonly #clock: Clock;
  readonly #windows = new WeakMap<object, SlidingWindow>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one; milliseconds to wait where it is too many. */
  take(run: object): number {
    const window = this.#windows.get(run) ?? new SlidingWindow(WINDOW_MS, () => PER_MINUTE);
    this.#windows.set(run, window);
    return window.take(this.#clock());
  }
}
