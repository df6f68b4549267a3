import { SublError } from '@subluminal/core-types';
import { Bucket } from '@subluminal/gateway';
import type { WorldSettings } from '@subluminal/policy';

/** The longest time that a timer counts. */
const MOST_MS = 2 ** 31 - 1;

/** The bytes that all connections of one world carry together, both ways. */
export class WorldMeter {
  readonly #budget: () => WorldSettings['budget'];
  readonly #monotonic: () => number;
  #spent: number;
  #pace: { readonly bytesPerSecond: number; readonly bucket: Bucket } | undefined;

  /**
   * `monotonic` gives milliseconds, `spent` the bytes of before. Another budget holds from the next byte on;
   * spent bytes stay spent.
   */
  constructor(budget: () => WorldSettings['budget'], monotonic: () => number, spent: number) {
    this.#budget = budget;
    this.#monotonic = monotonic;
    this.#spent = spent;
  }

  get spent(): number {
    return this.#spent;
  }

  /** Whether nothing is left. */
  get isSpent(): boolean {
    const { totalBytes } = this.#budget();
    return totalBytes !== undefined && this.#spent >= totalBytes;
  }

  /**
   * Counts bytes before they go on; gives for how many milliseconds nothing more should. Throws
   * `budget_spent`, and counts nothing then.
   */
  spend(bytes: number): number {
    const { totalBytes, bytesPerSecond } = this.#budget();
    if (totalBytes !== undefined && this.#spent + bytes > totalBytes) throw budgetSpent();
    this.#spent += bytes;
    if (bytesPerSecond === undefined) return 0;
    const now = this.#monotonic();
    if (this.#pace?.bytesPerSecond !== bytesPerSecond)
      this.#pace = {
        bytesPerSecond,
        bucket: new Bucket({ burst: bytesPerSecond, perSecond: bytesPerSecond }, now),
      };
    return Math.min(this.#pace.bucket.spend(bytes, now), MOST_MS);
  }
}

/** The refusal where nothing is left. */
export function budgetSpent(): SublError {
  return new SublError('budget_spent', 'the world has used up the `egress_budget` that the policy gives it');
}
