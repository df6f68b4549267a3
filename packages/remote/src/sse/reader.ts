import { LargeMessage } from '@subluminal/mcp';
import type { SharedRoom } from '@subluminal/gateway';

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
  readonly held: SharedRoom;
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
/**
 * Pieces of a large message are gathered to this many bytes: a server can send it byte by byte, and each
 * write is a call of the system.
 */
const GATHERED_BYTES = 16_384;
const DIGITS = /^[0-9]{1,9}$/;

/**
 * Cuts a stream into events as the HTML standard says (9.2.6), in bounded memory: a message of any length,
 * one line of `maxFieldBytes` besides. In a large message the line feeds between its lines become spaces,
 * which JSON does not tell apart.
 *
 * `eventsource-parser` does not do: it holds the whole text of an event, so it could refuse a large message
 * but not pass it on from a spool; it reads a chunk in one go, however many lines that has; and it drops an
 * event of an id alone, from which a client resumes.
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
  /** The bytes that will be written to `#large`. */
  #gathered: Buffer = EMPTY;
  #gatheredBytes = 0;
  /**
   * The chunk that was fed, from the first byte that was not read yet. Line ends are each looked for once.
   */
  #chunk: Buffer = EMPTY;
  #at = 0;
  #carriage = -1;
  #feed = -1;

  constructor(options: SseReaderOptions) {
    this.#options = options;
  }

  /** Takes what has come, once everything before it was read. */
  feed(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#at = 0;
    this.#carriage = chunk.indexOf(CR);
    this.#feed = chunk.indexOf(LF);
  }

  /** Whether something that was fed is left to be read. */
  get hasMore(): boolean {
    return this.#at < this.#chunk.length;
  }

  /** Reads a line of what was fed; false when nothing is left. @throws StreamBroken */
  step(): boolean {
    const chunk = this.#chunk;
    if (!this.hasMore) return false;
    if (this.#skipLineFeed) {
      this.#skipLineFeed = false;
      if (chunk[this.#at] === LF) {
        this.#at += 1;
        return this.hasMore;
      }
    }
    const at = this.#at;
    // Each is looked for once: a stream of nothing but line ends costs no more than its length.
    if (this.#carriage >= 0 && this.#carriage < at) this.#carriage = chunk.indexOf(CR, at);
    if (this.#feed >= 0 && this.#feed < at) this.#feed = chunk.indexOf(LF, at);
    const [carriage, feed] = [this.#carriage, this.#feed];
    const end = feed >= 0 && (carriage < 0 || feed < carriage) ? feed : carriage;
    this.#at = end < 0 ? chunk.length : end + 1;
    if (end !== at) this.#take(chunk.subarray(at, end < 0 ? chunk.length : end));
    if (end >= 0) {
      this.#skipLineFeed = chunk[end] === CR;
      this.#endLine();
    }
    return this.hasMore;
  }

  /** The stream is over: an event that has not ended is none. */
  end(): void {
    this.#options.held.add(-this.#dataBytes);
    this.#dataBytes = 0;
    this.#large?.discard();
    this.#large = undefined;
    this.#gathered = EMPTY;
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
      this.#gathered = Buffer.allocUnsafe(GATHERED_BYTES);
      this.#gatheredBytes = 0;
      held.add(-this.#dataBytes);
      this.#dataBytes = 0;
      this.#data = Buffer.alloc(0);
    }
    if (this.#large !== undefined) {
      this.#gather(this.#large, piece);
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

  #gather(large: LargeMessage, piece: Buffer): void {
    if (this.#gatheredBytes + piece.length > GATHERED_BYTES) this.#writeGathered(large);
    if (piece.length > GATHERED_BYTES) large.write(piece);
    else this.#gatheredBytes += piece.copy(this.#gathered, this.#gatheredBytes);
  }

  #writeGathered(large: LargeMessage): void {
    if (this.#gatheredBytes > 0) large.write(this.#gathered.subarray(0, this.#gatheredBytes));
    this.#gatheredBytes = 0;
  }

  #dispatch(): void {
    const fields = this.#fields;
    if (this.#dataLines === 0 && Object.keys(fields).length === 0) return;
    const large = this.#large;
    if (large !== undefined) this.#writeGathered(large);
    this.#gathered = EMPTY;
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
