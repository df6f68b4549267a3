import { LargeMessage } from '@subluminal/mcp';
import type { ByteBudget } from '../../ipc/budget.js';

/** What an event says besides its message. */
export interface EventFields {
  readonly id?: string;
  readonly event?: string;
  readonly retry?: string;
}

/** One event. `data` is undefined where it has none. */
export interface ServerEvent {
  readonly fields: EventFields;
  readonly data: Buffer | LargeMessage | undefined;
}

export interface SseReaderOptions {
  /** A message of more bytes is large. */
  readonly maxInspectBytes: number;
  /** The longest line that is no data. */
  readonly maxFieldBytes: number;
  readonly openLarge: () => LargeMessage;
  /** What all readers hold in memory. */
  readonly held: ByteBudget;
  readonly onEvent: (event: ServerEvent) => void;
  /** A comment: what keeps a connection alive. */
  readonly onComment: () => void;
}

/** The stream says something that no reader could hold, or that is none of this protocol. */
export class StreamBroken extends Error {}

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const EMPTY = Buffer.alloc(0);
const DATA = Buffer.from('data:');
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const DIGITS = /^[0-9]{1,9}$/;

/**
 * Cuts a stream into events as the HTML standard says (9.2.6), in bounded memory: a message of any length, one line of
 * `maxFieldBytes` besides. In a large message the line feeds between its lines become spaces, which JSON does not tell apart.
 */
export class SseReader {
  readonly #options: SseReaderOptions;
  /** The line that is being read, as far as it is no data. */
  #line: Buffer = EMPTY;
  #inData = false;
  #valueStarts = false;
  #skipLineFeed = false;
  #atStart = true;
  #fields: { id?: string; event?: string; retry?: string } = {};
  #dataLines = 0;
  #data = Buffer.alloc(0);
  #dataBytes = 0;
  #large: LargeMessage | undefined;

  constructor(options: SseReaderOptions) {
    this.#options = options;
  }

  /** @throws StreamBroken */
  push(chunk: Buffer): void {
    let at = 0;
    // Each is looked for once: a stream of nothing but line ends costs no more than its length.
    let carriage = chunk.indexOf(CR);
    let feed = chunk.indexOf(LF);
    while (at < chunk.length) {
      if (this.#skipLineFeed) {
        this.#skipLineFeed = false;
        if (chunk[at] === LF) {
          at += 1;
          continue;
        }
      }
      if (carriage >= 0 && carriage < at) carriage = chunk.indexOf(CR, at);
      if (feed >= 0 && feed < at) feed = chunk.indexOf(LF, at);
      const end = feed >= 0 && (carriage < 0 || feed < carriage) ? feed : carriage;
      if (end !== at) this.#take(chunk.subarray(at, end < 0 ? chunk.length : end));
      if (end < 0) return;
      this.#endLine();
      this.#skipLineFeed = chunk[end] === CR;
      at = end + 1;
    }
  }

  /** The stream is over: an event that has not ended is none. */
  end(): void {
    this.#options.held.add(-this.#dataBytes);
    this.#dataBytes = 0;
    this.#large?.discard();
    this.#large = undefined;
  }

  #take(piece: Buffer): void {
    if (this.#inData) {
      this.#addData(piece);
      return;
    }
    this.#line = this.#line.length === 0 ? Buffer.from(piece) : Buffer.concat([this.#line, piece]);
    if (this.#atStart && this.#line.length >= BOM.length) {
      this.#atStart = false;
      if (this.#line.subarray(0, BOM.length).equals(BOM)) this.#line = this.#line.subarray(BOM.length);
    }
    if (this.#line.length >= DATA.length && this.#line.subarray(0, DATA.length).equals(DATA)) {
      const value = this.#line.subarray(DATA.length);
      this.#line = EMPTY;
      this.#beginData();
      this.#addData(value);
    } else if (this.#line.length > this.#options.maxFieldBytes)
      throw new StreamBroken('a line of the stream is too long');
  }

  #endLine(): void {
    if (this.#inData) {
      this.#inData = false;
      return;
    }
    this.#atStart = false;
    if (this.#line.length === 0) {
      this.#dispatch();
      return;
    }
    const line = this.#line.toString('utf8');
    this.#line = EMPTY;
    if (line.startsWith(':')) this.#options.onComment();
    else this.#field(line);
  }

  #field(line: string): void {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') {
      this.#beginData();
      this.#inData = false;
    } else if (name === 'id' && !value.includes('\0')) this.#fields.id = value;
    else if (name === 'event') this.#fields.event = value;
    else if (name === 'retry' && DIGITS.test(value)) this.#fields.retry = value;
  }

  #beginData(): void {
    this.#inData = true;
    this.#valueStarts = true;
    this.#dataLines += 1;
    if (this.#dataLines > 1) this.#append(Buffer.from(this.#large === undefined ? '\n' : ' '));
  }

  #addData(piece: Buffer): void {
    if (piece.length === 0) return;
    const skip = this.#valueStarts && piece[0] === SPACE;
    this.#valueStarts = false;
    this.#append(skip ? piece.subarray(1) : piece);
  }

  #append(piece: Buffer): void {
    if (piece.length === 0) return;
    const { maxInspectBytes, held, openLarge } = this.#options;
    if (this.#large === undefined && this.#dataBytes + piece.length > maxInspectBytes) {
      this.#large = openLarge();
      const sofar = this.#data.subarray(0, this.#dataBytes);
      // Outside of a text they are spaces, and a text that has one is no JSON either way.
      for (let at = sofar.indexOf(LF); at >= 0; at = sofar.indexOf(LF, at)) sofar[at] = SPACE;
      if (sofar.length > 0) this.#large.write(sofar);
      held.add(-this.#dataBytes);
      this.#dataBytes = 0;
      this.#data = Buffer.alloc(0);
    }
    if (this.#large !== undefined) {
      this.#large.write(piece);
      return;
    }
    held.add(piece.length);
    if (held.isFull(false)) throw new StreamBroken('too much is being read at once');
    const size = this.#dataBytes + piece.length;
    if (size > this.#data.length) {
      const grown = Buffer.allocUnsafe(Math.max(4096, this.#data.length * 2, size));
      this.#data.copy(grown, 0, 0, this.#dataBytes);
      this.#data = grown;
    }
    piece.copy(this.#data, this.#dataBytes);
    this.#dataBytes = size;
  }

  #dispatch(): void {
    const fields = this.#fields;
    if (this.#dataLines === 0 && Object.keys(fields).length === 0) return;
    const large = this.#large;
    const has = this.#dataLines > 0;
    // A copy: the held bytes are overwritten by the next event while this one may still wait.
    const data = large ?? (has ? Buffer.from(this.#data.subarray(0, this.#dataBytes)) : undefined);
    this.#options.held.add(-this.#dataBytes);
    this.#fields = {};
    this.#large = undefined;
    this.#dataBytes = 0;
    this.#dataLines = 0;
    this.#options.onEvent({ fields, data });
  }
}
