/** How many handshakes are computed in one interval, and how long it is: about 3 % of one core at most. */
const PER_INTERVAL = 8;
const INTERVAL_MS = 10;

/**
 * Spreads the work of handshakes out, so that a flood of them leaves the event loop to the sessions. What
 * waits is bounded by the limit on unauthenticated peers.
 */
export class HandshakePace {
  readonly #queue: (() => void)[] = [];
  #left = PER_INTERVAL;
  #timer: NodeJS.Timeout | undefined;

  /** Runs `work` now, or when its turn comes. `work` must not throw. */
  run(work: () => void): void {
    if (this.#left > 0 && this.#queue.length === 0) {
      this.#left -= 1;
      this.#schedule();
      work();
      return;
    }
    this.#queue.push(work);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#turn(), INTERVAL_MS);
  }

  #turn(): void {
    this.#timer = undefined;
    this.#left = PER_INTERVAL;
    for (const work of this.#queue.splice(0, PER_INTERVAL)) {
      this.#left -= 1;
      work();
    }
    if (this.#queue.length > 0) this.#schedule();
  }
}
