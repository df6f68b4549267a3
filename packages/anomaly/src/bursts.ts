import { BurstWindow } from './burst-window.js';
import type { Finding } from '@subluminal/gateway';

/** More requests of one client than this within `BURST_WINDOW_MS` are a burst. */
const BURST_LIMIT = 10;
const BURST_WINDOW_MS = 5_000;

const MAX_CLIENTS = 4_096;

/** Requests of clients that come fast. */
export class Bursts {
  readonly #window = new BurstWindow(BURST_LIMIT, BURST_WINDOW_MS, MAX_CLIENTS);

  /**
   * Counts requests that an earlier process saw; one in the future counts as now. To be called before the
   * first `arrive`.
   */
  restore(requests: readonly { readonly client: string; readonly ts: number }[], now: number): void {
    const clients = new Map<string, number[]>();
    for (const { client, ts } of requests.toSorted((a, b) => a.ts - b.ts)) {
      const time = Math.min(ts, now);
      if (now - time >= BURST_WINDOW_MS) continue;
      clients.set(client, [...(clients.get(client) ?? []), time]);
    }
    for (const [client, times] of clients) this.#window.restore(client, times);
  }

  /** Counts a request as arrived, and tells whether it is one too many. */
  arrive(client: string, now: number): Finding | undefined {
    if (this.#window.arrive(client, now) <= BURST_LIMIT) return undefined;
    return {
      kind: 'burst',
      summary: `more than ${BURST_LIMIT} requests within ${BURST_WINDOW_MS / 1000} s`,
      facts: { client, limit: BURST_LIMIT, window_ms: BURST_WINDOW_MS },
    };
  }
}
