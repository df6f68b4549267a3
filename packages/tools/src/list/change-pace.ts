import { Bucket, Buckets, type Clock } from '@subluminal/gateway';

/**
 * Changes of lists that one server, and all together, may have recorded at once, and how many more in a
 * second.
 */
const OWN = { burst: 60, perSecond: 1 };
const ALL = { burst: 600, perSecond: 10 };
/** One token pays for the change of so many tools. */
const TOOLS_PER_TOKEN = 64;
/** Servers that are remembered. */
const MAX_SERVERS = 4096;

/**
 * How often lists may change. Each change is an entry and a write, and a server decides how often: without a
 * bound it could fill the disk, or keep the gateway from everybody else.
 */
export class ChangePace {
  readonly #clock: Clock;
  readonly #own = new Buckets(OWN, MAX_SERVERS);
  readonly #all: Bucket;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#all = new Bucket(ALL, clock());
  }

  /**
   * Tells whether a list of that server may change now; if so, it counts for so many tools. A large change is
   * let through whole, and paid off before the next one.
   */
  take(server: string, tools: number): boolean {
    const now = this.#clock();
    const own = this.#own.of(server, now);
    if (own?.has(now) !== true || !this.#all.has(now)) return false;
    const cost = Math.max(1, Math.ceil(tools / TOOLS_PER_TOKEN));
    own.charge(cost);
    this.#all.charge(cost);
    return true;
  }
}
