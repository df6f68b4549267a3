/** Bytes that are compared and copied four at a time: one at a time takes three times as long. */
export class Bytes {
  readonly octets: Buffer;
  readonly #words: DataView;

  constructor(octets: Buffer) {
    this.octets = octets;
    this.#words = new DataView(octets.buffer, octets.byteOffset, octets.length);
  }

  static of(text: string): Bytes {
    return new Bytes(Buffer.from(text));
  }

  get length(): number {
    return this.octets.length;
  }

  text(): string {
    return this.octets.toString();
  }

  /** Whether `length` bytes of another stand at `at`, those from `from` on. */
  holds(at: number, other: Bytes, from = 0, length = other.octets.length): boolean {
    const { octets } = this;
    const end = at + length;
    if (!(at >= 0 && end <= octets.length)) return false;
    const shift = from - at;
    if (length < 4) {
      for (let next = at; next < end; next += 1)
        if (octets[next] !== other.octets[next + shift]) return false;
      return true;
    }
    const words = this.#words;
    const others = other.#words;
    for (let next = at; next < end - 4; next += 4)
      if (words.getInt32(next) !== others.getInt32(next + shift)) return false;
    // The last four, of which some may have been compared.
    return words.getInt32(end - 4) === others.getInt32(end - 4 + shift);
  }

  /** Writes `words` times four bytes of another over those at `at`. */
  copy(at: number, other: Bytes, from: number, words: number): void {
    const mine = this.#words;
    const others = other.#words;
    for (let done = 0; done < words * 4; done += 4) mine.setInt32(at + done, others.getInt32(from + done));
  }
}
