const FIRST = 1024;

/**
 * Bytes that come in pieces, kept in one buffer: what a peer sends one by one costs no more than what it
 * sends at once.
 */
export class Gathered {
  #bytes = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    const needed = this.#length + piece.length;
    if (needed > this.#bytes.length) {
      const grown = Buffer.alloc(Math.max(needed, this.#bytes.length * 2, FIRST));
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    piece.copy(this.#bytes, this.#length);
    this.#length = needed;
  }

  /** What is there, which the next `add` may overwrite nothing of. */
  peek(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Gives what is there and forgets it. */
  take(): Buffer {
    const taken = this.peek();
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
    return taken;
  }
}
