/**
 * Frames a second that a run is worked for while a calm one is about: some tenth of the gateway's only core,
 * and what their calls cost the agent, the shim and the server besides is several times that.
 */
const PER_SECOND = 150;
const PER_MS = PER_SECOND / 1000;
/**
 * A frame counts as many, where it has more characters. Not the time that it took: that is long for everybody
 * when others are busy.
 */
const FRAME_CHARACTERS = 10_240;
/** Frames that a run may be ahead of its pace before it waits; up to half of them, it is calm. */
const AHEAD = 200;
const CALM = AHEAD / 2;
/** Nothing is remembered beyond this, so that no frame waits longer than a second for what came before it. */
const MOST = AHEAD + PER_SECOND;
/** A calm run is about until it has asked for nothing for so long: agents think between their calls. */
const ABOUT_MS = 5000;

/**
 * Keeps a run that asks without end from slowing the others. Turns of the event loop are shared already; what
 * is not ours to share are the processors, which the agent, shim and server of such a run take. So it is made
 * to wait: while a run that asks for little is about, one that asks for more than its pace is not read until
 * it is its turn again. A run alone, and runs that all ask for much, wait for nothing. ARCHITECTURE.md, "The
 * socket".
 */
export class RunShares {
  readonly monotonic: () => number;
  /**
   * When each calm run asked last, the one that asked longest ago first; those that are gone for `ABOUT_MS`
   * are taken out.
   */
  readonly #calm = new Map<RunShare, number>();

  /** `monotonic` gives milliseconds of a clock that only goes forward. */
  constructor(monotonic: () => number) {
    this.monotonic = monotonic;
  }

  /** The pace of one more run. */
  open(): RunShare {
    return new RunShare(this);
  }

  /** Notes that a calm run asked for something now. */
  asked(run: RunShare, now: number): void {
    this.#calm.delete(run);
    this.#calm.set(run, now);
    this.#forgetGone(now);
  }

  /** It is calm no more, or gone. */
  forget(run: RunShare): void {
    this.#calm.delete(run);
  }

  /** Whether a calm run is about. */
  isCalmAbout(now: number): boolean {
    this.#forgetGone(now);
    return this.#calm.size > 0;
  }

  #forgetGone(now: number): void {
    for (const [run, at] of this.#calm) {
      if (now - at <= ABOUT_MS) return;
      this.#calm.delete(run);
    }
  }
}

/** The pace of one run, whatever its connections are. */
export class RunShare {
  readonly #all: RunShares;
  /** In the order in which they began to wait. */
  readonly #waiting = new Set<() => void>();
  /** Frames beyond its pace, as of `#at`. */
  #ahead = 0;
  #at = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #waking = false;

  constructor(all: RunShares) {
    this.#all = all;
  }

  /** Whether its next frame may be worked on now. One that may not go waits by `wait`. */
  get mayGo(): boolean {
    return (this.#waiting.size === 0 || this.#waking) && this.#waitMs(this.#all.monotonic()) === 0;
  }

  /** Counts a frame of so many characters, which is worked on now. */
  count(characters: number): void {
    const now = this.#all.monotonic();
    this.#ahead = this.#aheadAt(now);
    this.#at = now;
    if (this.#ahead <= CALM) this.#all.asked(this, now);
    this.#ahead = Math.min(MOST, this.#ahead + Math.ceil(characters / FRAME_CHARACTERS));
    if (this.#ahead > AHEAD) this.#all.forget(this);
  }

  /**
   * Calls `resume` when it is the run's turn again. At most one entry a connection, hence bounded by the
   * connections.
   */
  wait(resume: () => void): void {
    this.#waiting.add(resume);
    if (!this.#waking) this.#wakeLater();
  }

  /** Forgets one who waits and is gone. */
  leave(resume: () => void): void {
    this.#waiting.delete(resume);
    if (this.#waiting.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** None of its connections is left: nobody waits for its sake. */
  gone(): void {
    this.#all.forget(this);
  }

  #aheadAt(now: number): number {
    return Math.max(0, this.#ahead - (now - this.#at) * PER_MS);
  }

  #waitMs(now: number): number {
    const ahead = this.#aheadAt(now);
    return ahead > AHEAD && this.#all.isCalmAbout(now) ? (ahead - AHEAD) / PER_MS : 0;
  }

  #wakeLater(): void {
    this.#timer ??= setTimeout(() => this.#wake(), Math.ceil(this.#waitMs(this.#all.monotonic())));
  }

  #wake(): void {
    this.#timer = undefined;
    this.#waking = true;
    // A copy: who is resumed and spends what there is waits behind the others, in the same set.
    const woken = [...this.#waiting];
    for (const resume of woken) {
      if (!this.mayGo) break;
      if (this.#waiting.delete(resume)) resume();
    }
    this.#waking = false;
    if (this.#waiting.size > 0) this.#wakeLater();
  }
}
