import type { Clock } from '../clock.js';

/** Enrolments are counted over this time, in milliseconds. */
const WINDOW_MS = 60_000;

/**
 * How many runs may open themselves in a minute, in a sliding window over exact times. Runs that the operator opens
 * are not counted. ARCHITECTURE.md, "Keys, credentials, runs".
 */
export class EnrolmentLimit {
  readonly #limit: number;
  readonly #clock: Clock;
  #times: number[] = [];

  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Counts one, or says when to come back. */
  take(): { readonly ok: true } | { readonly ok: false; readonly retryAfterMs: number } {
    const now = this.#clock();
    this.#times = this.#times.filter((time) => time > now - WINDOW_MS && time <= now);
    const [oldest] = this.#times;
    if (this.#times.length >= this.#limit && oldest !== undefined) {
      return { ok: false, retryAfterMs: oldest + WINDOW_MS - now };
    }
    this.#times.push(now);
    return { ok: true };
  }

  /** Counts enrolments of an earlier process, so that ending the gateway does not refill the window. */
  restore(times: readonly number[]): void {
    this.#times = [...this.#times, ...times].toSorted((a, b) => a - b).slice(-this.#limit);
  }
}
