/** The longest that a timer waits: with more it goes off at once. */
const MAX_WAIT_MS = 2 ** 31 - 1;

/**
 * One timer for the deadlines of many requests, of which nearly all are answered long before: it is armed for
 * the first.
 */
export class Deadlines {
  readonly #monotonic: () => number;
  readonly #onDue: (now: number) => number;
  #timer: NodeJS.Timeout | undefined;
  #armedFor = Number.POSITIVE_INFINITY;

  /** `onDue` is called when a deadline has passed, with the time, and gives the next one (or infinity). */
  constructor(monotonic: () => number, onDue: (now: number) => number) {
    this.#monotonic = monotonic;
    this.#onDue = onDue;
  }

  /** The deadline of something that may take `timeoutMs` from now on. */
  in(timeoutMs: number): number {
    const now = this.#monotonic();
    const deadline = now + timeoutMs;
    if (deadline < this.#armedFor) this.#arm(deadline, timeoutMs);
    return deadline;
  }

  /** Nothing is waited for any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#armedFor = Number.POSITIVE_INFINITY;
  }

  #arm(deadline: number, waitMs: number): void {
    clearTimeout(this.#timer);
    this.#armedFor = deadline;
    const wholeMs = Math.min(Math.max(1, Math.ceil(waitMs)), MAX_WAIT_MS);
    // The connection, and not what is asked on it, keeps a process alive.
    this.#timer = setTimeout(() => this.#wake(), wholeMs).unref();
  }

  #wake(): void {
    const now = this.#monotonic();
    this.#armedFor = Number.POSITIVE_INFINITY;
    const next = this.#onDue(now);
    if (next < this.#armedFor) this.#arm(next, next - now);
  }
}
