/**
 * A limit over a window that slides over exact times, in ms: no window, wherever it begins, holds more than
 * the limit. It remembers at most as many times as the highest limit there was.
 */
export class SlidingWindow {
  readonly #windowMs: number;
  readonly #limit: () => number;
  #times: number[] = [];
  #oldest = 0;

  constructor(windowMs: number, limit: () => number) {
    this.#windowMs = windowMs;
    this.#limit = limit;
  }

  /** Milliseconds until one more fits; 0 if it does now. */
  waitMs(now: number): number {
    this.#expire(now);
    // The last one that has to leave before another fits; where the limit was lowered several have to.
    const at = this.#times.length - this.#limit();
    const oldest = at < this.#oldest ? undefined : this.#times[at];
    return oldest === undefined ? 0 : oldest + this.#windowMs - now;
  }

  /** Counts one, where one fits: then 0. Else gives the milliseconds until one does. */
  take(now: number): number {
    const waitMs = this.waitMs(now);
    if (waitMs === 0) this.add(now);
    return waitMs;
  }

  /** Counts one at `ts`. Times rise. */
  add(ts: number): void {
    this.#times.push(ts);
    if (this.#times.length - this.#oldest > this.#limit()) this.#oldest += 1;
    this.#compact();
  }

  /** Counts those of an earlier process that are still in the window; a time in the future counts as now. */
  restore(times: readonly number[], now: number): void {
    const past = times.map((time) => Math.min(time, now)).filter((time) => now - time < this.#windowMs);
    for (const time of past.toSorted((a, b) => a - b)) this.add(time);
  }

  /** Tells whether the window is empty. */
  isIdle(now: number): boolean {
    this.#expire(now);
    return this.#oldest === this.#times.length;
  }

  #expire(now: number): void {
    let oldest = this.#times[this.#oldest];
    while (oldest !== undefined && now - oldest >= this.#windowMs) {
      this.#oldest += 1;
      oldest = this.#times[this.#oldest];
    }
    this.#compact();
  }

  #compact(): void {
    if (this.#oldest <= 32 || this.#oldest * 2 < this.#times.length) return;
    this.#times = this.#times.slice(this.#oldest);
    this.#oldest = 0;
  }
}
