export interface PacerOptions {
  readonly perSecond: number;
  /** So many turns may be taken at once after a rest. */
  readonly burst: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly monotonic: () => number;
}

/** Hands out turns no faster than a rate. The caller bounds how many wait. */
export class Pacer {
  readonly #intervalMs: number;
  readonly #restMs: number;
  readonly #monotonic: () => number;
  /** When the next turn would be due if none had been saved up. */
  #due = Number.NEGATIVE_INFINITY;

  constructor({ perSecond, burst, monotonic }: PacerOptions) {
    this.#intervalMs = 1000 / perSecond;
    this.#restMs = burst * this.#intervalMs;
    this.#monotonic = monotonic;
  }

  /**
   * Resolves when it is the caller's turn, which counts for `cost`; turns come in the order in which they
   * were asked for.
   */
  turn(cost = 1): Promise<void> {
    const now = this.#monotonic();
    this.#due = Math.max(this.#due, now - this.#restMs) + this.#intervalMs * cost;
    const wait = this.#due - now;
    if (wait <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      setTimeout(resolve, wait).unref();
    });
  }
}
