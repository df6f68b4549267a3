/**
 * How long one turn of the event loop works on what runs ask, in milliseconds; the frame that crosses it is
 * finished.
 */
const TURN_MS = 20;

/**
 * Shares the turns of the event loop among those of one kind that ask for more than there is time for:
 * connections of runs, lists of tools, streams. Each kind has its own. Without a bound, a turn reads every
 * socket and works on all that came, and the next one, the operator too, waits for all of it. Connections
 * that a turn had no time for go on in the next turns, in the order in which they began to wait.
 */
export class Turns {
  readonly #monotonic: () => number;
  readonly #waiting = new Set<() => void>();
  #until: number | undefined;

  /** `monotonic` gives milliseconds of a clock that only goes forward. */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Tells whether this turn has time for one more frame; it always has for its first. */
  hasTime(): boolean {
    if (this.#until !== undefined) return this.#monotonic() < this.#until;
    this.#until = this.#monotonic() + TURN_MS;
    setImmediate(() => this.#next());
    return true;
  }

  /**
   * Calls `resume` in a later turn. A connection, list or stream has one entry at most, and so their number
   * bounds this.
   */
  wait(resume: () => void): void {
    this.#waiting.add(resume);
    if (this.#until === undefined) this.hasTime();
  }

  /**
   * Does `step` until it says that nothing is left, in as many turns as that takes. Rejects with the error
   * that it throws.
   */
  work(step: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        try {
          let isLeft = true;
          // A task that goes on has time for one step, even where the clock says otherwise by now.
          do isLeft = step();
          while (isLeft && this.hasTime());
          if (isLeft) this.wait(go);
          else resolve();
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      if (this.hasTime()) go();
      else this.wait(go);
    });
  }

  /** Forgets one who waits and is gone. */
  forget(resume: () => void): void {
    this.#waiting.delete(resume);
  }

  #next(): void {
    this.#until = undefined;
    // A copy: who is resumed and spends the turn waits behind the others, in the same set.
    const woken = [...this.#waiting];
    for (const resume of woken) {
      if (!this.hasTime()) return;
      if (this.#waiting.delete(resume)) resume();
    }
  }
}
