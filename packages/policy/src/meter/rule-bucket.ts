/** How a bucket refills: so many tokens every so many milliseconds. */
export interface Refill {
  readonly refill_tokens: number;
  readonly refill_period_ms: number;
}

interface Take extends Refill {
  readonly at: number;
  readonly tokens: number;
}

/** The missing part of a bucket, in parts of a token: `period` of them are one. */
interface Level {
  readonly deficit: number;
  readonly period: number;
  /** The tokens that came back every `period` when it was last touched. */
  readonly refill: number;
  readonly at: number;
}

/** So many takes can be taken back exactly; of an older one nothing comes back. */
const RECENT = 32;
const FULL: Level = { deficit: 0, period: 1, refill: 0, at: 0 };

/**
 * The token bucket of a rule, which knows what is missing and since when. All arithmetic is on whole numbers:
 * a token has `refill_period_ms` parts, and `refill_tokens` of them come back every millisecond.
 */
export class RuleBucket {
  #base: Level = FULL;
  #level: Level = FULL;
  readonly #recent: Take[] = [];

  /** The parts of a token that are missing at `now`. */
  deficit(now: number, refill: Refill): number {
    return deficitOf(this.#level, now, refill);
  }

  take(tokens: number, refill: Refill, now: number): void {
    const { refill_tokens, refill_period_ms } = refill;
    const take: Take = { at: now, tokens, refill_tokens, refill_period_ms };
    this.#recent.push(take);
    this.#level = after(this.#level, take);
    if (this.#recent.length <= RECENT) return;
    const oldest = this.#recent.shift();
    if (oldest !== undefined) this.#base = after(this.#base, oldest);
  }

  /** Leaves the bucket as if the last such take had not been. */
  giveBack(tokens: number, at: number): void {
    const found = this.#recent.findLastIndex((take) => take.at === at && take.tokens === tokens);
    if (found === -1) return;
    this.#recent.splice(found, 1);
    this.#level = this.#recent.reduce(after, this.#base);
  }

  /** Whether it is full at `now`, by the last refill that it knows. */
  isFull(now: number): boolean {
    const { refill, period } = this.#level;
    return deficitOf(this.#level, now, { refill_tokens: refill, refill_period_ms: period }) === 0;
  }

  /** Whether nothing was ever taken, or all of it was given back. */
  get isUntouched(): boolean {
    return this.#level === FULL;
  }

  toJSON(): readonly [deficit: number, period: number, refill: number, at: number] {
    const { deficit, period, refill, at } = this.#level;
    return [deficit, period, refill, at];
  }

  static fromJSON([deficit, period, refill, at]: ReturnType<RuleBucket['toJSON']>): RuleBucket {
    const bucket = new RuleBucket();
    bucket.#base = { deficit, period, refill, at };
    bucket.#level = bucket.#base;
    return bucket;
  }
}

function after(level: Level, take: Take): Level {
  const deficit = deficitOf(level, take.at, take) + take.tokens * take.refill_period_ms;
  const period = take.refill_period_ms;
  return {
    deficit: Math.min(deficit, Number.MAX_SAFE_INTEGER),
    period,
    refill: take.refill_tokens,
    at: take.at,
  };
}

function deficitOf(level: Level, now: number, { refill_tokens, refill_period_ms }: Refill): number {
  if (level.deficit === 0) return 0;
  const deficit = inPeriod(level, refill_period_ms);
  // A product past 2^53 is more than any deficit, so that rounding it changes nothing.
  return Math.max(0, deficit - Math.max(0, now - level.at) * refill_tokens);
}

/** The same part of a token for another period, never less. */
function inPeriod({ deficit, period }: Level, other: number): number {
  if (period === other) return deficit;
  const parts = (BigInt(deficit) * BigInt(other) + BigInt(period) - 1n) / BigInt(period);
  return parts > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(parts);
}
