/** Questions that are on their way to the gateway at once. */
const MAX_ASKED = 64;
/** Their arguments, in bytes; one question may be larger. */
const MAX_ASKED_BYTES = 1_048_576;

/**
 * Keeps most questions here while the gateway lets this run wait: what is on its way is old when it is read,
 * gives up after its time, and stands before the ends of calls. Questions leave in the order in which they
 * came; the caller bounds how many there are.
 */
export class AskWindow {
  #asked = 0;
  #bytes = 0;
  readonly #idleWaiters: (() => void)[] = [];
  #waiting: { readonly bytes: number; readonly start: () => void }[] = [];

  /** Calls `ask` as soon as there is room, at once where there is some, and gives what it gives. */
  run<T>(bytes: number, ask: () => Promise<T>): Promise<T> {
    if (this.#waiting.length === 0 && this.#hasRoom(bytes)) return this.#ask(bytes, ask);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ bytes, start: () => void this.#ask(bytes, ask).then(resolve, reject) });
    });
  }

  /** Resolves when every question was answered, and its asker has heard. */
  async idle(): Promise<void> {
    while (this.#asked > 0) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }

  #hasRoom(bytes: number): boolean {
    return this.#asked === 0 || (this.#asked < MAX_ASKED && this.#bytes + bytes <= MAX_ASKED_BYTES);
  }

  #ask<T>(bytes: number, ask: () => Promise<T>): Promise<T> {
    this.#asked += 1;
    this.#bytes += bytes;
    const answered = (): void => {
      this.#asked -= 1;
      this.#bytes -= bytes;
      if (this.#waiting.length > 0) this.#askNext();
      if (this.#asked === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve();
    };
    const answer = ask();
    answer.then(answered, answered);
    return answer;
  }

  #askNext(): void {
    let next = this.#waiting[0];
    for (; next !== undefined && this.#hasRoom(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      next.start();
    }
  }
}
