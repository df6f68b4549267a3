/**
 * Bytes that all connections together carry in one turn of the event loop: one read of a server; four of them
 * gain nothing.
 */
const PER_TURN = 262_144;

/**
 * Bounds what one turn of the event loop carries, so that decisions do not wait for transfers. Who comes too
 * late in a turn goes on in the next, in the order of coming.
 */
export class TurnBytes {
  readonly #perTurn: number;
  readonly #waiting = new Set<() => void>();
  #left: number;
  #isCounting = false;

  constructor(perTurn = PER_TURN) {
    this.#perTurn = perTurn;
    this.#left = perTurn;
  }

  /** Takes bytes that were carried; false where whoever carried them should wait for another turn. */
  take(bytes: number): boolean {
    this.#left -= bytes;
    if (!this.#isCounting) {
      this.#isCounting = true;
      setImmediate(() => this.#next());
    }
    return this.#left > 0;
  }

  /**
   * Calls `resume` in a later turn. At most one entry a direction of a connection, hence bounded by those.
   */
  wait(resume: () => void): void {
    this.#waiting.add(resume);
  }

  forget(resume: () => void): void {
    this.#waiting.delete(resume);
  }

  #next(): void {
    this.#isCounting = false;
    this.#left = this.#perTurn;
    const woken = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of woken) resume();
  }
}
