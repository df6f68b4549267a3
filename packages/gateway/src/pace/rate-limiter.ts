import { steadyClock } from '../base/steady-clock.js';
import { SlidingWindow } from './sliding-window.js';

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
 * Sliding windows over the exact time of each request: no hour, wherever it begins, holds more than the
 * limit, not even around the turn of a fixed window. Memory is bounded by the limits, since only the requests
 * that passed are kept. The windows are those of the gateway, not of a client.
 */
export class RateLimiter {
  readonly #read: () => RateLimits;
  readonly #now: () => number;
  readonly #overall: SlidingWindow;
  readonly #actions = new Map<string, SlidingWindow>();

  /** `clock` gives epoch ms; when it goes back, windows stay closed until it has caught up. */
  constructor(limits: () => RateLimits, clock: () => number) {
    this.#read = limits;
    this.#now = steadyClock(clock);
    this.#overall = new SlidingWindow(RATE_WINDOW_MS, () => limits().global);
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
   * Counts requests that an earlier process let pass, so that ending the gateway does not refill a window.
   * `ts` is epoch ms; one in the future counts as now. To be called before the first `take`.
   */
  restore(entries: readonly { readonly action: string; readonly ts: number }[]): void {
    const now = this.#now();
    const live = entries
      .map(({ action, ts }) => ({ action, ts: Math.min(ts, now) }))
      .filter(({ ts }) => now - ts < RATE_WINDOW_MS)
      .toSorted((a, b) => a.ts - b.ts);
    // Older ones than the newest `global` change nothing: the global window opens only after all of them have
    // left.
    for (const { action, ts } of live.slice(-this.#read().global)) {
      this.#overall.add(ts);
      this.#logOf(action, now).add(ts);
    }
  }

  #logOf(action: string, now: number): SlidingWindow {
    const known = this.#actions.get(action);
    if (known !== undefined) return known;
    for (const [name, log] of this.#actions) {
      if (log.isIdle(now)) this.#actions.delete(name);
    }
    const log = new SlidingWindow(RATE_WINDOW_MS, () => {
      const { actions, default: others } = this.#read();
      return (Object.hasOwn(actions, action) ? actions[action] : undefined) ?? others;
    });
    this.#actions.set(action, log);
    return log;
  }
}
