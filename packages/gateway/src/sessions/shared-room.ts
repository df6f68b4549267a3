/**
 * Room that peers share: bytes that their requests hold in memory, or places of requests that are worked on.
 * Over the limit, peers wait (their sockets are not read) until others are done; the operator may use a
 * reserve, so that a flood of runs cannot lock it out.
 */
export class SharedRoom {
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

  /** Counts what was taken, or is given back (negative). Wakes those who wait when there is room again. */
  add(amount: number): void {
    this.#used += amount;
    if (amount >= 0 || this.#waiting.size === 0 || this.isFull(false)) return;
    const woken = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of woken) resume();
  }

  /** Tells whether a peer has to wait: more than the limit is taken. */
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
