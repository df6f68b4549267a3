/** Bytes that are read by their places, and taken away from the front. */
export class SocksBytes {
  #bytes = Buffer.alloc(0);

  /** No message is longer than 515 bytes, and whole ones are taken at once: what stays is less than that. */
  add(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
  }

  at(index: number): number | undefined {
    return this.#bytes[index];
  }

  take(count: number): Buffer | undefined {
    if (this.#bytes.length < count) return undefined;
    const taken = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return taken;
  }

  rest(): Buffer {
    const rest = this.#bytes;
    this.#bytes = Buffer.alloc(0);
    return rest;
  }
}
