const SECOND = 1000;
const SECONDS = 60;

/**
 * Counts what passed within the last minute, by the second: sixty numbers, however much passes. What passed
 * in a second counts until the whole of it is a minute ago, so that no minute holds more than the limit.
 */
export class MinuteWindow {
  readonly #limit: () => number;
  /** By the second, and the second that each number is of. */
  readonly #counts = new Uint32Array(SECONDS + 1);
  readonly #seconds = new Float64Array(SECONDS + 1).fill(Number.NEGATIVE_INFINITY);

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** How long until one more fits, in ms; 0 if it does now. `now` is epoch ms and never goes back. */
  waitMs(now: number): number {
    const second = Math.floor(now / SECOND);
    let count = 0;
    let oldest = Number.POSITIVE_INFINITY;
    for (const [at, of] of this.#seconds.entries()) {
      if (second - of > SECONDS) continue;
      count += this.#counts[at] ?? 0;
      oldest = Math.min(oldest, of);
    }
    if (count < this.#limit()) return 0;
    return Math.max(1, (oldest + SECONDS + 1) * SECOND - now);
  }

  /** Counts one more at `ts`. Older ones than a minute, of an earlier process, change nothing. */
  add(ts: number): void {
    const second = Math.floor(ts / SECOND);
    const at = second % (SECONDS + 1);
    const of = this.#seconds[at] ?? Number.NEGATIVE_INFINITY;
    if (of > second) return;
    if (of < second) {
      this.#seconds[at] = second;
      this.#counts[at] = 0;
    }
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }
}
