const MINUTE_MS = 60_000;
/** Runs whose calls are counted; beyond, the one that called longest ago is forgotten. */
const MOST_RUNS = 1000;

/** Calls of the last minute by run, in buckets of a second. */
export class Rates {
  readonly #runs = new Map<string, Map<number, number>>();

  /** Counts a call. */
  add(runId: string, ts: number): void {
    const seconds = this.#runs.get(runId) ?? new Map<number, number>();
    const second = Math.floor(ts / 1000);
    seconds.set(second, (seconds.get(second) ?? 0) + 1);
    // The newest stands last.
    this.#runs.delete(runId);
    this.#runs.set(runId, seconds);
    forgetBefore(seconds, ts - MINUTE_MS);
    if (this.#runs.size <= MOST_RUNS) return;
    for (const oldest of this.#runs.keys()) {
      this.#runs.delete(oldest);
      return;
    }
  }

  /** The calls of a run in the minute before that moment. */
  perMinute(runId: string, now: number): number {
    const from = Math.floor((now - MINUTE_MS) / 1000);
    const seconds = this.#runs.get(runId) ?? [];
    return [...seconds].reduce((sum, [second, calls]) => (second > from ? sum + calls : sum), 0);
  }
}

/** Seconds are in the order in which they came; one that a clock set back stays until it is the oldest. */
function forgetBefore(seconds: Map<number, number>, ms: number): void {
  for (const second of seconds.keys()) {
    if (second * 1000 >= ms) return;
    seconds.delete(second);
  }
}
