import { steadyClock } from '../base/steady-clock.js';

/** Requests an hour: by action, for the actions that are not listed, and for all of them together. */
export interface RateLimits {
  readonly default: number;
  readonly global: number;
  readonly actions: Readonly<Record<string, number>>;
}

/** `retryAfterMs`: when the same request would pass, if nothing else is taken until then. */
export type RateVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly retryAfterMs: number; readonly scope: 'action' | 'global' };

/** The length of the window, in milliseconds. */
export const RATE_WINDOW_MS = 3_600_000;

/**
 * Sliding windows over the exact time of each request (gateway isolation spec §5): no hour, wherever it begins, holds
 * more than the limit, not even around the turn of a fixed window. Memory is bounded by the limits, since only the
 * requests that passed are kept. The windows are those of the gateway, not of a client.
 */
export class RateLimiter {
  readonly #read: () => RateLimits;
  readonly #now: () => number;
  readonly #overall: TimeLog;
  readonly #actions = new Map<string, TimeLog>();

  /** `clock` gives epoch ms; when it goes back, windows stay closed until it has caught up. */
  constructor(limits: () => RateLimits, clock: () => number) {
    this.#read = limits;
    this.#now = steadyClock(clock);
    this.#overall = new TimeLog(() => limits().global);
  }

  /** Counts one request of `action`, or says when to come back; a refused one is not counted. */
  take(action: string): RateVerdict {
    const now = this.#now();
    const log = this.#logOf(action, now);
    const overall = this.#overall.waitMs(now);
    const own = log.waitMs(now);
    if (own > 0 || overall > 0) {
      return own >= overall
        ? { ok: false, retryAfterMs: own, scope: 'action' }
        : { ok: false, retryAfterMs: overall, scope: 'global' };
    }
    this.#overall.add(now);
    log.add(now);
    return { ok: true };
  }

  /**
   * Counts requests that an earlier process let pass, so that ending the gateway does not refill a window. `ts` is
   * epoch ms; one in the future counts as now. To be called before the first `take`.
   */
  restore(entries: readonly { readonly action: string; readonly ts: number }[]): void {
    const now = this.#now();
    const live = entries
      .map(({ action, ts }) => ({ action, ts: Math.min(ts, now) }))
      .filter(({ ts }) => now - ts < RATE_WINDOW_MS)
      .toSorted((a, b) => a.ts - b.ts);
    // Older ones than the newest `global` change nothing: the global window opens only after all of them have left.
    for (const { action, ts } of live.slice(-this.#read().global)) {
      this.#overall.add(ts);
      this.#logOf(action, now).add(ts);
    }
  }

  #logOf(action: string, now: number): TimeLog {
    const known = this.#actions.get(action);
    if (known !== undefined) return known;
    for (const [name, log] of this.#actions) {
      if (log.isIdle(now)) this.#actions.delete(name);
    }
    const log = new TimeLog(() => {
      const { actions, default: others } = this.#read();
      return (Object.hasOwn(actions, action) ? actions[action] : undefined) ?? others;
    });
    this.#actions.set(action, log);
    return log;
  }
}

/** The newest times, ascending, at most as many as the highest limit there was. */
class TimeLog {
  readonly #limit: () => number;
  #times: number[] = [];
  #oldest = 0;

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** 0 if one more fits at `now`. */
  waitMs(now: number): number {
    this.#expire(now);
    // The last one that has to leave before another fits; where the limit was lowered several have to.
    const at = this.#times.length - this.#limit();
    const oldest = at < this.#oldest ? undefined : this.#times[at];
    return oldest === undefined ? 0 : oldest + RATE_WINDOW_MS - now;
  }

  add(ts: number): void {
    this.#times.push(ts);
    if (this.#times.length - this.#oldest > this.#limit()) this.#oldest += 1;
    this.#compact();
  }

  isIdle(now: number): boolean {
    this.#expire(now);
    return this.#oldest === this.#times.length;
  }

  #expire(now: number): void {
    let oldest = this.#times[this.#oldest];
    while (oldest !== undefined && now - oldest >= RATE_WINDOW_MS) {
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
