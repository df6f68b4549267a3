/** Cuts a stream of bytes into lines. A line of more than `most` bytes is left out, whole. */
export class Lines {
  readonly #most: number;
  readonly #each: (line: string) => void;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(most: number, each: (line: string) => void) {
    this.#most = most;
    this.#each = each;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(10, from); end !== -1; end = chunk.indexOf(10, from)) {
      this.#add(chunk.subarray(from, end));
      if (this.#size <= this.#most && this.#size > 0) this.#each(Buffer.concat(this.#parts).toString('utf8'));
      this.#parts = [];
      this.#size = 0;
      from = end + 1;
    }
    this.#add(chunk.subarray(from));
  }

  #add(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > this.#most) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }
}
