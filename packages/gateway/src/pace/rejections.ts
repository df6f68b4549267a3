import type { AppendGroup } from '@subluminal/ledger';
import type { Clock } from '../base/clock.js';
import { Buckets } from './bucket.js';

/** Rejections that one caller may have recorded one by one: at once, and in a second. */
const SIZE = { burst: 40, perSecond: 20 };
/** Callers that are remembered; beyond, those whose bucket is full are forgotten. */
const MAX_CALLERS = 4096;

/**
 * Rejections of an authenticated caller cost a durable entry each, so they have a bucket a caller. Others
 * are counted, and the count is recorded. Decisions of the policy never come here. ARCHITECTURE.md, "The
 * pipeline".
 */
export class RejectionBuckets {
  readonly #clock: Clock;
  readonly #buckets = new Buckets(SIZE, MAX_CALLERS);
  readonly #dropped = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Tells whether the next rejection of this caller is recorded by itself; if not, it has been counted. */
  take(source: string): boolean {
    const now = this.#clock();
    if (this.#buckets.of(source, now)?.take(now) === true) return true;
    this.#dropped.set(source, (this.#dropped.get(source) ?? 0) + 1);
    return false;
  }

  /** The entries for what was only counted since the last call. */
  drain(): AppendGroup | undefined {
    if (this.#dropped.size === 0) return undefined;
    const ts = this.#clock();
    const entries = [...this.#dropped].map(
      ([source, count]) =>
        ({ type: 'rejections_dropped', ts, runId: null, data: { source, count } }) as const,
    );
    this.#dropped.clear();
    return { entries };
  }
}
