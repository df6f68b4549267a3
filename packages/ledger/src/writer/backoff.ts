const FIRST_MS = 50;
const LAST_MS = 10_000;

/**
 * When the next attempt to reopen may be made; on a monotonic clock, so that a changed wall clock cannot
 * stall it.
 */
export class Backoff {
  #delayMs = 0;
  #notBefore = 0;

  get isOver(): boolean {
    return performance.now() >= this.#notBefore;
  }

  /** An attempt failed: the next one waits twice as long. */
  failed(): void {
    this.#delayMs = Math.min(LAST_MS, Math.max(FIRST_MS, this.#delayMs * 2));
    this.#notBefore = performance.now() + this.#delayMs;
  }

  succeeded(): void {
    this.#delayMs = 0;
    this.#notBefore = 0;
  }
}
