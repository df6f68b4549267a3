import { hexDigit } from '@subluminal/core-types';
import { type BodyLength, MalformedHead } from './head-reader.js';

const CR = 13;
const LF = 10;
const MAX_SIZE_DIGITS = 12;

/**
 * Follows the body of one request, so that nothing behind its end goes on: what a server would take for the
 * next request was never judged. Chunks have to be written plainly, without extensions and trailers (RFC 9112
 * §7.1), which parsers read in different ways.
 */
export class RequestBody {
  /** What is left of a body of known length, or of the chunk. */
  #left: number;
  readonly #isChunked: boolean;
  #state: 'size' | 'size-lf' | 'data' | 'data-cr' | 'data-lf' | 'last-cr' | 'last-lf' | 'over';
  #size = 0;
  #digits = 0;

  constructor(length: BodyLength) {
    this.#isChunked = length === 'chunked';
    this.#left = typeof length === 'number' ? length : 0;
    if (this.#isChunked) this.#state = 'size';
    else this.#state = this.#left === 0 ? 'over' : 'data';
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  /** How many of these bytes belong to the body. Throws `MalformedHead`. */
  take(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.#state !== 'over') {
      if (this.#state === 'data') at += this.#data(bytes.length - at);
      else {
        this.#frame(bytes[at] ?? 0);
        at += 1;
      }
    }
    return at;
  }

  #data(available: number): number {
    const taken = Math.min(available, this.#left);
    this.#left -= taken;
    if (this.#left === 0) this.#state = this.#isChunked ? 'data-cr' : 'over';
    return taken;
  }

  #frame(byte: number): void {
    switch (this.#state) {
      case 'size':
        if (byte === CR && this.#digits > 0) this.#state = 'size-lf';
        else this.#digit(byte);
        return;
      case 'size-lf':
        expectByte(byte, LF);
        this.#left = this.#size;
        this.#state = this.#size === 0 ? 'last-cr' : 'data';
        this.#size = 0;
        this.#digits = 0;
        return;
      case 'data-cr':
        expectByte(byte, CR);
        this.#state = 'data-lf';
        return;
      case 'data-lf':
        expectByte(byte, LF);
        this.#state = 'size';
        return;
      case 'last-cr':
        expectByte(byte, CR);
        this.#state = 'last-lf';
        return;
      case 'last-lf':
        expectByte(byte, LF);
        this.#state = 'over';
        return;
      case 'data':
      case 'over':
    }
  }

  #digit(byte: number): void {
    const digit = hexDigit(byte);
    this.#digits += 1;
    if (digit === undefined || this.#digits > MAX_SIZE_DIGITS)
      throw new MalformedHead('the size of a chunk is no plain number');
    this.#size = this.#size * 16 + digit;
  }
}

function expectByte(byte: number, wanted: number): void {
  if (byte !== wanted) throw new MalformedHead('a chunk does not end where it says');
}
