import { SublError } from '../errors/subl-error.js';
import { DEFAULT_MAX_FRAME_BYTES, HEADER_BYTES } from './limits.js';

/**
 * The first allocation for a frame that arrives in pieces; it doubles from there, up to the frame's length.
 */
const FIRST_ALLOCATION = 4096;

/**
 * Cuts a byte stream into frames, wherever the chunks break. Holds at most one unfinished frame, and never
 * more than about twice the bytes that really arrived: a header alone reserves nothing. A header over
 * `maxBytes` is refused before any of its body is kept. After an error the decoder stays failed, since the
 * stream has lost its place.
 */
export class FrameDecoder {
  readonly #maxBytes: number;
  // A BOM is kept: dropping it would let two byte sequences stand for one text.
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerFill = 0;
  #length = 0;
  #body = Buffer.alloc(0);
  #bodyFill = 0;
  #failure: SublError | undefined;

  constructor(options: { readonly maxBytes?: number } = {}) {
    this.#maxBytes = options.maxBytes ?? DEFAULT_MAX_FRAME_BYTES;
  }

  /** Bytes that were taken in and not given out yet; 0 between frames. */
  get buffered(): number {
    return this.#headerFill + this.#bodyFill;
  }

  /**
   * Takes the next bytes and gives the texts of the frames that they complete, in order. Throws
   * `frame_too_large`, `frame_empty` or `frame_bad_utf8`, now and on every later call; frames completed by
   * the same chunk are then lost with the connection.
   */
  push(chunk: Buffer): string[] {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return this.#read(chunk);
    } catch (error) {
      if (error instanceof SublError) this.#fail(error);
      throw error;
    }
  }

  #read(chunk: Buffer): string[] {
    const texts: string[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.#headerFill < HEADER_BYTES) {
        const taken = chunk.copy(this.#header, this.#headerFill, at, at + HEADER_BYTES - this.#headerFill);
        this.#headerFill += taken;
        at += taken;
        if (this.#headerFill < HEADER_BYTES) break;
        this.#length = this.#checkedLength();
      }
      const end = Math.min(chunk.length, at + this.#length - this.#bodyFill);
      const piece = chunk.subarray(at, end);
      at = end;
      if (piece.length === this.#length) texts.push(this.#finish(piece));
      else if (this.#keep(piece)) texts.push(this.#finish(this.#body.subarray(0, this.#length)));
    }
    return texts;
  }

  #checkedLength(): number {
    const length = this.#header.readUInt32BE(0);
    if (length === 0) throw new SublError('frame_empty', 'a frame has length zero');
    if (length > this.#maxBytes) {
      throw new SublError('frame_too_large', `a frame of ${length} bytes is larger than ${this.#maxBytes}`);
    }
    return length;
  }

  /**
   * Copies a piece of the body, so that no chunk of the socket is retained. Tells whether the body is
   * complete.
   */
  #keep(piece: Buffer): boolean {
    const fill = this.#bodyFill + piece.length;
    if (fill > this.#body.length) {
      const capacity = Math.min(this.#length, Math.max(FIRST_ALLOCATION, this.#body.length * 2, fill));
      const grown = Buffer.allocUnsafe(capacity);
      this.#body.copy(grown, 0, 0, this.#bodyFill);
      this.#body = grown;
    }
    piece.copy(this.#body, this.#bodyFill);
    this.#bodyFill = fill;
    return fill === this.#length;
  }

  #finish(body: Buffer): string {
    const text = this.#decode(body);
    this.#reset();
    return text;
  }

  #decode(body: Buffer): string {
    try {
      return this.#utf8.decode(body);
    } catch (cause) {
      throw new SublError('frame_bad_utf8', 'a frame is not valid utf-8', { cause });
    }
  }

  #fail(error: SublError): void {
    this.#failure = error;
    this.#reset();
  }

  #reset(): void {
    this.#headerFill = 0;
    this.#length = 0;
    this.#bodyFill = 0;
    if (this.#body.length > 0) this.#body = Buffer.alloc(0);
  }
}
