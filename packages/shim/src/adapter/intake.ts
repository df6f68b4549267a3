import type { LargeMessage } from '@subluminal/mcp';

const LINE_FEED = 0x0a;
const FIRST_ALLOCATION = 4096;

export interface IntakeOptions {
  /** A line of more bytes than this, without its line feed, is large. */
  readonly maxInspectBytes: number;
  /** A whole line, with its line feed. */
  readonly onLine: (line: Buffer) => void;
  readonly openLarge: () => LargeMessage;
  readonly onLarge: (large: LargeMessage) => void;
}

/**
 * Cuts a stream at line feeds, the byte and nothing else, and holds at most one line of `maxInspectBytes`.
 */
export class Intake {
  readonly #options: IntakeOptions;
  #held = Buffer.alloc(0);
  #length = 0;
  #large: LargeMessage | undefined;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      const feed = chunk.indexOf(LINE_FEED, at);
      const end = feed < 0 ? chunk.length : feed;
      if (this.#large === undefined && this.#length + end - at > this.#options.maxInspectBytes) this.#grow();
      if (this.#large !== undefined) this.#pushLarge(this.#large, chunk.subarray(at, end), feed >= 0);
      else if (feed < 0) this.#hold(chunk.subarray(at, end));
      else this.#line(chunk.subarray(at, feed + 1));
      at = end + 1;
    }
  }

  /** The stream is over: what has no line feed is no message. */
  end(): void {
    this.#large?.discard();
    this.#large = undefined;
    this.#length = 0;
  }

  #line(piece: Buffer): void {
    if (this.#length === 0) {
      this.#options.onLine(piece);
      return;
    }
    this.#hold(piece);
    // A copy, because the held bytes are overwritten by the next line while this one may still wait.
    const line = Buffer.from(this.#held.subarray(0, this.#length));
    this.#length = 0;
    this.#options.onLine(line);
  }

  #grow(): void {
    this.#large = this.#options.openLarge();
    if (this.#length > 0) this.#large.write(this.#held.subarray(0, this.#length));
    this.#length = 0;
  }

  #pushLarge(large: LargeMessage, piece: Buffer, ends: boolean): void {
    if (piece.length > 0) large.write(piece);
    if (!ends) return;
    this.#large = undefined;
    this.#options.onLarge(large);
  }

  #hold(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#held.length) {
      const capacity = Math.max(FIRST_ALLOCATION, this.#held.length * 2, length);
      const grown = Buffer.allocUnsafe(capacity);
      this.#held.copy(grown, 0, 0, this.#length);
      this.#held = grown;
    }
    piece.copy(this.#held, this.#length);
    this.#length = length;
  }
}
