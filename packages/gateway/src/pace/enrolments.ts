import type { Clock } from '../base/clock.js';
import { steadyClock } from '../base/steady-clock.js';
import { SlidingWindow } from './sliding-window.js';

/** Enrolments are counted over this time, in milliseconds. */
export const ENROLMENT_WINDOW_MS = 60_000;

/**
 * How many runs may open themselves in a minute. Runs that the operator opens are not counted. When the clock
 * goes back the window stays closed until it has caught up. ARCHITECTURE.md, "Keys, credentials, runs".
 */
export class EnrolmentLimit {
  readonly #now: Clock;
  readonly #window: SlidingWindow;

  constructor(limit: () => number, clock: Clock) {
    this.#now = steadyClock(clock);
    this.#window = new SlidingWindow(ENROLMENT_WINDOW_MS, limit);
  }

  /** Counts one, or says when to come back. */
  take(): { readonly ok: true } | { readonly ok: false; readonly retryAfterMs: number } {
    const retryAfterMs = this.#window.take(this.#now());
    return retryAfterMs > 0 ? { ok: false, retryAfterMs } : { ok: true };
  }

  /** Counts enrolments of an earlier process, so that ending the gateway does not refill the window. */
  restore(times: readonly number[]): void {
    this.#window.restore(times, this.#now());
  }
}
