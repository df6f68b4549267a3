import type { Clock } from '../base/clock.js';

/** Changes of lists that one server, and all together, may have recorded at once, and how many more in a second. */
const OWN = { burst: 60, perSecond: 1 };
const ALL = { burst: 600, perSecond: 10 };
/** Of how many tools one token pays for the change. */
const TOOLS_PER_TOKEN = 64;
/** Servers that are remembered; beyond, those whose bucket is full again are forgotten. */
const MAX_SERVERS = 4096;

interface Bucket {
  tokens: number;
  filledMs: number;
}

/**
 * How often lists may change. Each change is an entry and a write, and whoever is a server decides how often: without a
 * bound it could fill the disk, or keep the gateway from everybody else.
 */
export class ChangePace {
  readonly #clock: Clock;
  readonly #own = new Map<string, Bucket>();
  readonly #all: Bucket;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#all = { tokens: ALL.burst, filledMs: clock() };
  }

  /**
   * Whether a list of that server may change now; if so, it counts for so many tools. A large change is let through whole,
   * and paid off before the next one.
   */
  take(server: string, tools: number): boolean {
    const now = this.#clock();
    const own = this.#bucketOf(server, now);
    if (own === undefined) return false;
    if (fill(own, OWN, now) < 1 || fill(this.#all, ALL, now) < 1) return false;
    const cost = Math.max(1, Math.ceil(tools / TOOLS_PER_TOKEN));
    own.tokens -= cost;
    this.#all.tokens -= cost;
    return true;
  }

  #bucketOf(server: string, now: number): Bucket | undefined {
    const known = this.#own.get(server);
    if (known !== undefined) return known;
    if (this.#own.size >= MAX_SERVERS) this.#forget(now);
    if (this.#own.size >= MAX_SERVERS) return undefined;
    const bucket = { tokens: OWN.burst, filledMs: now };
    this.#own.set(server, bucket);
    return bucket;
  }

  #forget(now: number): void {
    const full = (OWN.burst / OWN.perSecond) * 1000;
    for (const [server, { filledMs }] of this.#own) if (now - filledMs > full) this.#own.delete(server);
  }
}

function fill(bucket: Bucket, { burst, perSecond }: typeof OWN, now: number): number {
  const elapsed = Math.max(0, now - bucket.filledMs);
  bucket.tokens = Math.min(burst, bucket.tokens + (elapsed * perSecond) / 1000);
  bucket.filledMs = now;
  return bucket.tokens;
}
