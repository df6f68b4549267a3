import type { Clock } from '../base/clock.js';

/** How often servers of one run may ask for secrets: each asking reads the configuration, and leaves entries. */
const PER_MINUTE = 120;
const WINDOW_MS = 60_000;

/** How often the servers of a run have asked for secrets in the last minute. */
export class ReleasePace {
  readonly #clock: Clock;
  readonly #times = new WeakMap<object, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one; milliseconds to wait where it is too many. */
  take(run: object): number {
    const now = this.#clock();
    const times = (this.#times.get(run) ?? []).filter((time) => time > now - WINDOW_MS && time <= now);
    this.#times.set(run, times);
    const [first] = times;
    if (times.length >= PER_MINUTE && first !== undefined) return first + WINDOW_MS - now;
    times.push(now);
    return 0;
  }
}
