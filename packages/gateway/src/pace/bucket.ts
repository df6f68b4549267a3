/** The tokens that a bucket holds at most, and how many come back in a second. */
export interface BucketSize {
  readonly burst: number;
  readonly perSecond: number;
}

/** A token bucket. Times are epoch ms; a clock that goes back brings no tokens. */
export class Bucket {
  readonly #size: BucketSize;
  #tokens: number;
  #filledMs: number;

  constructor(size: BucketSize, now: number) {
    this.#size = size;
    this.#tokens = size.burst;
    this.#filledMs = now;
  }

  /** Tells whether a token is there. */
  has(now: number): boolean {
    const { burst, perSecond } = this.#size;
    const elapsed = Math.max(0, now - this.#filledMs);
    this.#tokens = Math.min(burst, this.#tokens + (elapsed * perSecond) / 1000);
    this.#filledMs = Math.max(now, this.#filledMs);
    return this.#tokens >= 1;
  }

  /** Takes one token, where one is there. */
  take(now: number): boolean {
    if (!this.has(now)) return false;
    this.charge(1);
    return true;
  }

  /** Takes tokens whether or not they are there: a large cost is paid off before the next `take`. */
  charge(tokens: number): void {
    this.#tokens -= tokens;
  }

  /** The same, and for how many milliseconds nothing more should be taken. */
  spend(tokens: number, now: number): number {
    this.has(now);
    this.charge(tokens);
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens * 1000) / this.#size.perSecond);
  }

  /** Tells whether nothing is remembered here that a new bucket would not have. */
  isFull(now: number): boolean {
    return this.has(now) && this.#tokens >= this.#size.burst;
  }
}

/** Buckets by name, at most so many: beyond, the full ones are forgotten. */
export class Buckets {
  readonly #size: BucketSize;
  readonly #most: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(size: BucketSize, most: number) {
    this.#size = size;
    this.#most = most;
  }

  /** The bucket of that name; undefined where there are too many that are not full. */
  of(name: string, now: number): Bucket | undefined {
    const known = this.#buckets.get(name);
    if (known !== undefined) return known;
    if (this.#buckets.size >= this.#most) this.#forgetFull(now);
    if (this.#buckets.size >= this.#most) return undefined;
    const bucket = new Bucket(this.#size, now);
    this.#buckets.set(name, bucket);
    return bucket;
  }

  #forgetFull(now: number): void {
    for (const [name, bucket] of this.#buckets) if (bucket.isFull(now)) this.#buckets.delete(name);
  }
}
