/**
 * Slows a run down to so many bytes a second (token bucket): what was carried is taken from it, and whoever
 * leaves it in debt waits until it is paid back. Who comes next waits longer, so that connections share what
 * there is.
 */
export class BytePace {
  readonly #perMs: number;
  readonly #capacity: number;
  readonly #monotonic: () => number;
  #tokens: number;
  #at: number;

  /**
   * `monotonic` gives milliseconds of a clock that only goes forward. A second's worth may be spent at once.
   */
  constructor(bytesPerSecond: number, monotonic: () => number) {
    this.#perMs = bytesPerSecond / 1000;
    this.#capacity = bytesPerSecond;
    this.#monotonic = monotonic;
    this.#tokens = bytesPerSecond;
    this.#at = monotonic();
  }

  /** Counts bytes that were carried, and tells for how many milliseconds nothing more should be. */
  spend(bytes: number): number {
    const now = this.#monotonic();
    this.#tokens = Math.min(this.#capacity, this.#tokens + (now - this.#at) * this.#perMs);
    this.#at = now;
    this.#tokens -= bytes;
    return this.#tokens >= 0 ? 0 : Math.ceil(-this.#tokens / this.#perMs);
  }
}
