/** The bounds of the meters of a run: so many a rule, so many in all. */
export interface MeterBounds {
  readonly perRule: number;
  readonly total: number;
}

/** How many meters a run has. */
export interface MeterCount {
  used: number;
}

/** The key of the meter that all keys share for which there was no room. No call has it. */
const SHARED_KEY = null;

/**
 * The meters of one rule by scope key. Agents can invent keys: where there is no room for another, all
 * further ones share a meter, which counts more than each would and never less. As long as it is there no new
 * key gets its own.
 */
export class Scoped<Meter> {
  readonly #own = new Map<string, Meter>();
  #shared: Meter | undefined;

  find(key: string): Meter | undefined {
    return this.#own.get(key) ?? this.#shared;
  }

  take(key: string, make: () => Meter, bounds: MeterBounds, count: MeterCount): Meter {
    const found = this.find(key);
    if (found !== undefined) return found;
    const meter = make();
    if (this.#own.size < bounds.perRule && count.used < bounds.total) {
      this.#own.set(key, meter);
      count.used += 1;
    } else this.#shared = meter;
    return meter;
  }

  /** Lets go of the meters that no longer bind. */
  release(isDone: (meter: Meter) => boolean, count: MeterCount): void {
    for (const [key, meter] of this.#own) if (isDone(meter)) this.#drop(key, count);
    if (this.#shared !== undefined && isDone(this.#shared)) this.#shared = undefined;
  }

  /** Lets go of one meter if it holds nothing. */
  releaseOne(key: string, isDone: (meter: Meter) => boolean, count: MeterCount): void {
    const own = this.#own.get(key);
    if (own !== undefined) {
      if (isDone(own)) this.#drop(key, count);
    } else if (this.#shared !== undefined && isDone(this.#shared)) this.#shared = undefined;
  }

  get isEmpty(): boolean {
    return this.#own.size === 0 && this.#shared === undefined;
  }

  /** Every meter; the shared one under `SHARED_KEY`. */
  *entries(): Iterable<readonly [key: string | null, meter: Meter]> {
    yield* this.#own;
    if (this.#shared !== undefined) yield [SHARED_KEY, this.#shared];
  }

  /** Puts a meter back. False where there is one, or no room. */
  restore(key: string | null, meter: Meter, bounds: MeterBounds, count: MeterCount): boolean {
    if (key === SHARED_KEY) {
      if (this.#shared !== undefined) return false;
      this.#shared = meter;
      return true;
    }
    if (this.#own.has(key) || this.#own.size >= bounds.perRule || count.used >= bounds.total) return false;
    this.#own.set(key, meter);
    count.used += 1;
    return true;
  }

  #drop(key: string, count: MeterCount): void {
    this.#own.delete(key);
    count.used -= 1;
  }
}
