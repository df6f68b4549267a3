import { type ClientHello, MalformedHello, parseClientHello } from './client-hello.js';
import { Gathered } from '../client/gathered.js';

/** All that a client may send before it is known what it asks for, in bytes. */
const MAX_HELLO = 65_536;

const HANDSHAKE = 22;
const CHANGE_CIPHER_SPEC = 20;
const ALERT = 21;
const APPLICATION_DATA = 23;
const CLIENT_HELLO = 1;
/** RFC 8446 §5.1 and §5.2: of a plain record, and of a protected one. */
const MAX_PLAIN = 16_384;
const MAX_PROTECTED = 16_640;
const RECORD_HEADER = 5;
const MESSAGE_HEADER = 4;

/**
 * Stands before what a TLS client sends, and lets nothing pass that was not judged: the first ClientHello,
 * over records and fragments, and another one that follows where the server asked for it (HelloRetryRequest),
 * which could name somebody else. The bytes that pass are the client's own. From where the stream is
 * encrypted on, the gate stands open.
 */
export class TlsGate {
  readonly #judge: (hello: ClientHello) => void;
  readonly #header = Buffer.alloc(RECORD_HEADER);
  #headerLength = 0;
  /** What is left of the record, and whether it is part of a handshake message that is being read. */
  #left = 0;
  #capturing = false;
  /** The handshake message that is being read, and how many bytes came since it began. */
  readonly #message = new Gathered();
  #capturedLength = 0;
  readonly #held = new Gathered();
  #hello: ClientHello | undefined;
  #isOpen = false;

  /** `judge` throws where the connection may not go on. */
  constructor(judge: (hello: ClientHello) => void) {
    this.#judge = judge;
  }

  /** Whether nothing is looked at any more. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The ClientHello was judged. */
  get isJudged(): boolean {
    return this.#hello !== undefined;
  }

  /**
   * Takes bytes and gives those that may go on; undefined where none may yet. Throws `MalformedHello`, or
   * what `judge` throws; nothing may be passed after that.
   */
  push(chunk: Buffer): Buffer | undefined {
    if (this.#isOpen) return chunk;
    let at = 0;
    while (at < chunk.length && !this.#isOpen) {
      at = this.#left > 0 ? this.#body(chunk, at) : this.#head(chunk, at);
    }
    const isClear = this.#hello !== undefined && !this.#capturing && this.#headerLength === 0;
    if (this.#held.length === 0 && (this.#isOpen || isClear)) return chunk;
    this.#held.add(chunk);
    return this.#isOpen || isClear ? this.#held.take() : undefined;
  }

  /** Bytes of a record's header. */
  #head(chunk: Buffer, at: number): number {
    const taken = chunk.copy(this.#header, this.#headerLength, at);
    this.#headerLength += taken;
    if (this.#capturing) this.#count(taken);
    if (this.#headerLength === RECORD_HEADER) this.#begin();
    return at + taken;
  }

  #begin(): void {
    this.#headerLength = 0;
    const type = this.#header.readUInt8(0);
    const length = this.#header.readUInt16BE(3);
    if (this.#header.readUInt8(1) !== 3) throw new MalformedHello('it is no record of TLS');
    const isPlain = type === HANDSHAKE || type === CHANGE_CIPHER_SPEC || type === ALERT;
    if (length === 0 || length > (isPlain ? MAX_PLAIN : MAX_PROTECTED))
      throw new MalformedHello('a record has a length that there may not be');
    this.#left = length;
    if (type === HANDSHAKE) {
      if (!this.#capturing) this.#count(RECORD_HEADER);
      this.#capturing = true;
    } else if (this.#capturing || this.#hello === undefined) {
      throw new MalformedHello('something else stands where the ClientHello should');
    } else if (type === APPLICATION_DATA && !this.#hello.hasEarlyData) {
      this.#isOpen = true;
    } else if (!isPlain && type !== APPLICATION_DATA) {
      throw new MalformedHello('a record of a kind that there is not');
    }
  }

  /** Bytes of a record's content. */
  #body(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.#left);
    this.#left -= end - at;
    if (this.#capturing) this.#capture(chunk.subarray(at, end));
    return end;
  }

  #capture(piece: Buffer): void {
    this.#count(piece.length);
    this.#message.add(piece);
    if (this.#message.length < MESSAGE_HEADER) return;
    const message = this.#message.peek();
    if (message.readUInt8(0) !== CLIENT_HELLO) {
      if (this.#hello === undefined) throw new MalformedHello('it does not begin with a ClientHello');
      // The second flight of TLS 1.2: a name that were asked for after it is encrypted.
      this.#isOpen = true;
      return;
    }
    const total = MESSAGE_HEADER + message.readUIntBE(1, 3);
    if (total > MAX_HELLO) throw new MalformedHello(`it is longer than ${MAX_HELLO} bytes`);
    if (message.length < total) return;
    // RFC 8446 §5.1: keys change behind it, so nothing else stands in its last record.
    if (message.length > total || this.#left > 0)
      throw new MalformedHello('something stands behind it in its record');
    this.#conclude(message);
  }

  #conclude(message: Buffer): void {
    const hello = parseClientHello(message.subarray(MESSAGE_HEADER));
    this.#judge(hello);
    this.#hello = hello;
    this.#capturing = false;
    this.#message.take();
    this.#capturedLength = 0;
  }

  #count(bytes: number): void {
    this.#capturedLength += bytes;
    if (this.#capturedLength > MAX_HELLO) throw new MalformedHello(`it is longer than ${MAX_HELLO} bytes`);
  }
}
