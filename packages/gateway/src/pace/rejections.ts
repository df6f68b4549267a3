import type { AppendGroup } from '@subluminal/ledger';
import type { Clock } from '../base/clock.js';

/** Rejections a second that one caller may have recorded one by one, and how many may come at once. */
const PER_SECOND = 20;
const BURST = 40;
/** Callers that are remembered; beyond, those whose bucket is full are forgotten. */
const MAX_CALLERS = 4096;

interface Bucket {
  tokens: number;
  filledMs: number;
  dropped: number;
}

/**
 * Rejections of an authenticated caller cost a durable entry each, so they have a bucket a caller. What does not fit
 * is counted, and the count is recorded. Decisions of the policy never come here. ARCHITECTURE.md, "The pipeline".
 */
export class RejectionBuckets {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Tells whether the next rejection of this caller is recorded by itself; if not, it has been counted. */
  take(source: string): boolean {
    const now = this.#clock();
    const bucket = this.#bucketOf(source, now);
    const elapsed = Math.max(0, now - bucket.filledMs);
    bucket.tokens = Math.min(BURST, bucket.tokens + (elapsed * PER_SECOND) / 1000);
    bucket.filledMs = now;
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return true;
    }
    bucket.dropped += 1;
    return false;
  }

  /** The entries for what was only counted since the last call. */
  drain(): AppendGroup | undefined {
    const ts = this.#clock();
    const entries = [...this.#buckets].flatMap(([source, bucket]) => {
      if (bucket.dropped === 0) return [];
      const count = bucket.dropped;
      bucket.dropped = 0;
      return [{ type: 'rejections_dropped', ts, runId: null, data: { source, count } } as const];
    });
    return entries.length === 0 ? undefined : { entries };
  }

  #bucketOf(source: string, now: number): Bucket {
    const known = this.#buckets.get(source);
    if (known !== undefined) return known;
    if (this.#buckets.size >= MAX_CALLERS) this.#forget(now);
    const bucket: Bucket = { tokens: BURST, filledMs: now, dropped: 0 };
    this.#buckets.set(source, bucket);
    return bucket;
  }

  #forget(now: number): void {
    for (const [source, bucket] of this.#buckets) {
      if (bucket.dropped === 0 && now - bucket.filledMs > (BURST / PER_SECOND) * 1000)
        this.#buckets.delete(source);
    }
  }
}
