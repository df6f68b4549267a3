/**
 * The bytes that requests of all peers hold in memory. Over the limit, peers wait (their sockets are not
 * read) until others are done; the operator may use a reserve, so that a flood of runs cannot lock it out.
 */
export class ByteBudget {
  readonly #limit: number;
  readonly #reserve: number;
  readonly #waiting = new Set<() => void>();
  #used = 0;

  constructor(limit: number, reserve: number) {
    this.#limit = limit;
    this.#reserve = reserve;
  }

  get used(): number {
    return this.#used;
  }

  /**
   * Counts bytes that are there already, or are gone (negative). Wakes those who wait when there is room
   * again.
   */
  add(bytes: number): void {
    this.#used += bytes;
    if (bytes >= 0 || this.#waiting.size === 0 || this.isFull(false)) return;
    const woken = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of woken) resume();
  }

  /** Tells whether a peer has to wait. */
  isFull(operator: boolean): boolean {
    return this.#used > (operator ? this.#limit : this.#limit - this.#reserve);
  }

  /** Calls `resume` once there is room. At most one entry a connection, hence bounded by the connections. */
  wait(resume: () => void): void {
    this.#waiting.add(resume);
  }

  /** Forgets one who waits and is gone. */
  forget(resume: () => void): void {
    this.#waiting.delete(resume);
  }
}
