import { Bucket } from '@subluminal/gateway';
import type { Run } from '@subluminal/gateway';

/** As many as a run may have shims can come back at once; then so many a second. */
const SIZE = { burst: 128, perSecond: 2 };
/**
 * A spool that was not believed counts for so many more: each is an entry that names all that it was charged.
 */
const REFUSED = 31;

/**
 * How often the shims of one run may bring spools: each has to be read and verified as a whole, while others
 * wait.
 */
export class SpoolPace {
  readonly #buckets = new WeakMap<Run, Bucket>();

  /** False where the run has to come back later. */
  take(run: Run, nowMs: number): boolean {
    const bucket = this.#buckets.get(run) ?? new Bucket(SIZE, nowMs);
    this.#buckets.set(run, bucket);
    return bucket.take(nowMs);
  }

  /** A spool of the run was not believed. */
  refused(run: Run): void {
    this.#buckets.get(run)?.charge(REFUSED);
  }
}
