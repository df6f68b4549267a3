import type { Clock } from '../base/clock.js';
import { steadyClock } from '../base/steady-clock.js';

/** Enrolments are counted over this time, in milliseconds. */
export const ENROLMENT_WINDOW_MS = 60_000;

/**
 * How many runs may open themselves in a minute, in a sliding window over exact times. Runs that the operator opens
 * are not counted. When the clock goes back the window stays closed until it has caught up. ARCHITECTURE.md, "Keys,
 * credentials, runs".
 */
export class EnrolmentLimit {
  readonly #limit: () => number;
  readonly #now: Clock;
  #times: number[] = [];

  constructor(limit: () => number, clock: Clock) {
    this.#limit = limit;
    this.#now = steadyClock(clock);
  }

  /** Counts one, or says when to come back. */
  take(): { readonly ok: true } | { readonly ok: false; readonly retryAfterMs: number } {
    const now = this.#now();
    this.#times = this.#times.filter((time) => time > now - ENROLMENT_WINDOW_MS);
    // The last one that has to leave before another fits.
    const oldest = this.#times.at(-this.#limit());
    if (oldest !== undefined) {
      return { ok: false, retryAfterMs: oldest + ENROLMENT_WINDOW_MS - now };
    }
    this.#times.push(now);
    return { ok: true };
  }

  /**
   * Counts enrolments of an earlier process, so that ending the gateway does not refill the window. A time in the future
   * counts as now. To be called before the first `take`.
   */
  restore(times: readonly number[]): void {
    const now = this.#now();
    this.#times = times
      .map((time) => Math.min(time, now))
      .toSorted((a, b) => a - b)
      .slice(-this.#limit());
  }
}
