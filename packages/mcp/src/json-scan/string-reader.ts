import { hexDigit } from '@subluminal/core-types';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/** The bytes that may stand behind a backslash, besides `u`. */
const SIMPLE_ESCAPES: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));

/** Captured text is at most this long; a longer string is checked but not kept. */
const MAX_CAPTURE_BYTES = 4096;

/**
 * Reads one JSON string, from behind its opening quote, however it is cut into chunks: valid UTF-8, no
 * control characters, known escapes, no half of a surrogate pair. Constant memory; the text itself is kept
 * only on request.
 */
export class StringReader {
  /** Continuation bytes that a UTF-8 sequence still needs, and the range that the next of them must be in. */
  #continuations = 0;
  #low = 0x80;
  #high = 0xbf;
  /** 0 outside of an escape, 1 behind the backslash, 2 to 5 inside `\uXXXX`. */
  #escape = 0;
  #unit = 0;
  /** A high surrogate was escaped: the low one must follow at once. */
  #pendingHigh = false;
  #capturing = false;
  #raw = Buffer.alloc(0);
  #rawLength = 0;

  /** The closing quote was read. */
  #ended = false;

  get ended(): boolean {
    return this.#ended;
  }

  /** Begins a new string. */
  start(capture: boolean): void {
    this.#ended = false;
    this.#continuations = 0;
    this.#escape = 0;
    this.#pendingHigh = false;
    this.#capturing = capture;
    this.#rawLength = 0;
  }

  /**
   * Reads on from `at`. The index of the first byte that it did not take (behind the closing quote when the
   * string has `ended`, else the length of the chunk), or -1 when it is no JSON string.
   */
  read(chunk: Buffer, at: number): number {
    let index = at;
    while (index < chunk.length) {
      const plain = this.#escape === 0 && this.#continuations === 0 && !this.#pendingHigh;
      if (plain) index = skipPlain(chunk, index);
      if (index === chunk.length) break;
      const byte = chunk[index] ?? 0;
      if (plain && byte === QUOTE) {
        this.#keep(chunk, at, index);
        this.#ended = true;
        return index + 1;
      }
      if (!this.#step(byte)) return -1;
      index += 1;
    }
    this.#keep(chunk, at, index);
    return index;
  }

  /** The text of the string that has just ended; undefined when it was not kept or was too long. */
  text(): string | undefined {
    if (!this.#capturing) return undefined;
    const text: unknown = JSON.parse(`"${this.#raw.toString('utf8', 0, this.#rawLength)}"`);
    return typeof text === 'string' ? text : undefined;
  }

  #step(byte: number): boolean {
    if (this.#escape > 0) return this.#escapeStep(byte);
    if (this.#continuations > 0) {
      if (byte < this.#low || byte > this.#high) return false;
      this.#continuations -= 1;
      this.#low = 0x80;
      this.#high = 0xbf;
      return true;
    }
    if (byte === BACKSLASH) {
      this.#escape = 1;
      return true;
    }
    if (this.#pendingHigh || byte < 0x20 || byte === QUOTE) return false;
    return byte < 0x80 || this.#lead(byte);
  }

  /** Table 3-7 of the Unicode standard: the shortest form only, no surrogates, nothing beyond U+10FFFF. */
  #lead(byte: number): boolean {
    if (byte >= 0xc2 && byte <= 0xdf) this.#continuations = 1;
    else if (byte >= 0xe0 && byte <= 0xef) this.#continuations = 2;
    else if (byte >= 0xf0 && byte <= 0xf4) this.#continuations = 3;
    else return false;
    if (byte === 0xe0) this.#low = 0xa0;
    else if (byte === 0xed) this.#high = 0x9f;
    else if (byte === 0xf0) this.#low = 0x90;
    else if (byte === 0xf4) this.#high = 0x8f;
    return true;
  }

  #escapeStep(byte: number): boolean {
    if (this.#escape === 1) {
      if (byte === LETTER_U) {
        this.#escape = 2;
        this.#unit = 0;
        return true;
      }
      this.#escape = 0;
      return !this.#pendingHigh && SIMPLE_ESCAPES.has(byte);
    }
    const digit = hexDigit(byte);
    if (digit === undefined) return false;
    this.#unit = this.#unit * 16 + digit;
    if (this.#escape < 5) {
      this.#escape += 1;
      return true;
    }
    this.#escape = 0;
    return this.#endUnit();
  }

  #endUnit(): boolean {
    const isLow = this.#unit >= 0xdc00 && this.#unit <= 0xdfff;
    if (isLow !== this.#pendingHigh) return false;
    this.#pendingHigh = this.#unit >= 0xd800 && this.#unit <= 0xdbff;
    return true;
  }

  #keep(chunk: Buffer, from: number, to: number): void {
    if (!this.#capturing) return;
    const length = this.#rawLength + to - from;
    if (length > MAX_CAPTURE_BYTES) {
      this.#capturing = false;
      return;
    }
    if (this.#raw.length === 0) this.#raw = Buffer.allocUnsafe(MAX_CAPTURE_BYTES);
    chunk.copy(this.#raw, this.#rawLength, from, to);
    this.#rawLength = length;
  }
}

/** The index of the first byte from `at` that is not plain ASCII inside a string. */
function skipPlain(chunk: Buffer, at: number): number {
  let index = at;
  for (; index < chunk.length; index += 1) {
    const byte = chunk[index] ?? 0;
    if (byte === QUOTE || byte === BACKSLASH || byte < 0x20 || byte >= 0x80) break;
  }
  return index;
}
