import { Bucket, type Clock } from '@subluminal/gateway';
import { UiRefusal } from '../door/refusal.js';

/** Milliseconds of the reader's work that a session has at once, and that come back in each second. */
const SIZE = { burst: 60_000, perSecond: 500 };
/** The least that a read costs: it takes the gateway's own time, too. */
const LEAST_MS = 5;

/**
 * Bounds what each session reads by the time that its questions take: one that asks without end has half of
 * the reader at most, and others have theirs. The feeds of sockets cost nothing here.
 */
export class ReadPace {
  readonly #clock: Clock;
  readonly #buckets = new WeakMap<object, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws UiRefusal `too_many` for a session that has used up its time. */
  assertRoom(session: object): void {
    if (this.#of(session).has(this.#clock())) return;
    throw new UiRefusal(429, 'too_many', 'this page reads more than it may', 'ask again in a while');
  }

  /** A read took so long; what is over the bound is paid off before the next one. */
  charge(session: object, ms: number): void {
    this.#of(session).spend(Math.max(LEAST_MS, ms), this.#clock());
  }

  #of(session: object): Bucket {
    const known = this.#buckets.get(session) ?? new Bucket(SIZE, this.#clock());
    this.#buckets.set(session, known);
    return known;
  }
}
