/** An event that takes longer than this is slow, in milliseconds. */
const SLOW_MS = 100;

/** So many slow ones, one behind the other, and nothing is followed any more. */
const MAX_SLOW = 3;

/** Watches how long events take: the gateway has one thread for everybody. */
export class Patience {
  readonly #monotonic: () => number;
  #slow = 0;

  /** `monotonic`: milliseconds of a clock that only goes forward. */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Nothing more may be tried. */
  get isOver(): boolean {
    return this.#slow >= MAX_SLOW;
  }

  /** Does something, and counts it where it was slow. */
  spend<T>(work: () => T): T {
    const began = this.#monotonic();
    try {
      return work();
    } finally {
      this.#slow = this.#monotonic() - began > SLOW_MS ? this.#slow + 1 : 0;
    }
  }
}
