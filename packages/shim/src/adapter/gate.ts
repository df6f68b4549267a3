import type { Readable } from 'node:stream';

/** Pauses an input while there is at least one reason to. */
export class Gate {
  readonly #input: Readable;
  readonly #reasons = new Set<string>();

  constructor(input: Readable) {
    this.#input = input;
  }

  /** Adds a reason to pause, or takes it away. */
  set(reason: string, closed: boolean): void {
    if (closed) this.#reasons.add(reason);
    else this.#reasons.delete(reason);
    if (this.#reasons.size > 0) this.#input.pause();
    else this.#input.resume();
  }
}
