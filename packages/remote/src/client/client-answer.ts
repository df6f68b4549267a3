import type { ServerResponse } from 'node:http';
import { Lane, type Outbox, type Payload, type Place, type Room, type SessionLimits } from '@subluminal/mcp';
import { HttpRefusal, refusalBody, RPC } from './refusal.js';
import { COMMENT, eventFrame, StoredFrame } from '../sse/frame.js';
import type { EventFields } from '../sse/reader.js';

const CHUNK_BYTES = 65_536;

/** Headers in lower case, as they are written. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[]>>;

/**
 * The answer to one request of a client: one message, or a stream of them, or a status and why. As an outbox
 * it takes messages for the client: the first one that comes before a stream was opened is the whole answer.
 */
export class ClientAnswer implements Outbox {
  readonly #response: ServerResponse;
  readonly #limits: SessionLimits;
  #status = 200;
  #headers: AnswerHeaders = {};
  #lane: Lane | undefined;
  #fields: EventFields = {};
  #gone = false;
  /** Messages that wait for their decision where there is no stream. */
  #deciding = 0;
  #settled: (() => void) | undefined;

  constructor(response: ServerResponse, limits: SessionLimits) {
    this.#response = response;
    this.#limits = limits;
    response.on('error', () => undefined);
    response.once('close', () => {
      this.#gone = true;
      this.#lane?.break();
    });
  }

  /** Something of the answer was written. */
  get begun(): boolean {
    return this.#response.headersSent || this.#gone;
  }

  /** The client does not listen any more. */
  get gone(): boolean {
    return this.#gone;
  }

  /** Calls `listener` when the client leaves before its answer was whole. */
  onGone(listener: () => void): void {
    this.#response.once('close', () => {
      if (!this.#response.writableFinished) listener();
    });
  }

  /** With what status and headers the one message goes out. */
  prepare(status: number, headers: AnswerHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  /** Begins a stream. `onPressure`: the client reads more slowly than the server writes. */
  openStream(headers: AnswerHeaders, onPressure: (high: boolean) => void): void {
    this.#response.writeHead(200, {
      ...copied(headers),
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
    });
    this.#response.flushHeaders();
    const { maxQueuedBytes, maxSpooledBytes, maxQueued } = this.#limits;
    let [messages, own] = [false, false];
    const tell = (): void => onPressure(messages || own);
    this.#lane = new Lane({
      output: this.#response,
      maxBytes: maxQueuedBytes,
      maxSpooledBytes,
      maxPlaces: maxQueued,
      onPressure: (high) => {
        messages = high;
        tell();
      },
      // Comments and events without a message are written anew, and so count as what we say ourselves.
      onOwnPressure: (high) => {
        own = high;
        tell();
      },
    });
    if (this.#gone) this.#lane.break();
  }

  /** The next message of the stream came with these fields. */
  next(fields: EventFields): void {
    this.#fields = fields;
  }

  /** An event without a message. */
  event(fields: EventFields, data: Buffer | undefined): void {
    this.#write(eventFrame(fields, data));
  }

  /** What keeps the connection alive. */
  comment(): void {
    this.#write(COMMENT);
  }

  /** The stream is over, once everything in it was decided and written. */
  async endStream(): Promise<void> {
    await this.#lane?.empty();
    this.#response.end();
  }

  /** The stream broke: the client sees that it has not got all of it. */
  breakOff(): void {
    this.#response.destroy();
  }

  reserve(room: Room, original?: Payload): Place {
    const lane = this.#lane;
    if (lane === undefined) {
      this.#deciding += 1;
      return {
        send: (payload) => {
          this.message(payload);
          this.#decided();
        },
        drop: () => this.#decided(),
      };
    }
    const fields = original === undefined ? {} : this.#fields;
    const place = lane.reserve(room);
    return {
      send: (payload) => {
        if (!Buffer.isBuffer(payload)) place.send(new StoredFrame(fields, payload));
        else place.send(eventFrame(fields, payload === original ? payload : withoutLineFeed(payload)));
      },
      drop: () => place.drop(),
    };
  }

  /** Resolves when every message that came before was decided. */
  settled(): Promise<void> {
    if (this.#deciding === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#settled = resolve;
    });
  }

  #decided(): void {
    this.#deciding -= 1;
    if (this.#deciding === 0) this.#settled?.();
  }

  /** One message is the whole answer. */
  message(payload: Payload): void {
    if (this.begun) {
      if (!Buffer.isBuffer(payload)) payload.close();
      return;
    }
    this.#response.writeHead(this.#status, {
      ...copied(this.#headers),
      'content-type': 'application/json',
      'content-length': String(payload.length),
    });
    if (Buffer.isBuffer(payload)) this.#response.end(payload);
    else void this.#pour(payload);
  }

  /** A status, and a body that is no message. */
  plain(status: number, headers: AnswerHeaders, body: Buffer): void {
    if (this.begun) return;
    this.#response.writeHead(status, {
      ...copied(headers),
      ...(status === 204 || status === 304 ? {} : { 'content-length': String(body.length) }),
    });
    this.#response.end(body);
  }

  /** A refusal. What of the request was not read is not read any more. */
  refuse(refusal: HttpRefusal, idText?: string): void {
    const allow = refusal.status === 405 ? { allow: 'GET, POST, DELETE' } : {};
    this.plain(
      refusal.status,
      { 'content-type': 'application/json', connection: 'close', ...allow },
      refusalBody(refusal.rpcCode, refusal.message, idText),
    );
  }

  /** What was asked could not be done: an error of the protocol where a request waits, else a status. */
  fail(status: number, message: string, idText: string | undefined, code?: string): void {
    const body = refusalBody(RPC.internal, message, idText, code);
    this.plain(idText === undefined ? status : 200, { 'content-type': 'application/json' }, body);
  }

  #write(bytes: Buffer): void {
    this.#lane?.reserve({ held: bytes.length, spooled: 0, own: true }).send(bytes);
  }

  /** A message from outside of memory, no faster than it is read. */
  async #pour(payload: Exclude<Payload, Buffer>): Promise<void> {
    try {
      for (let position = 0; position < payload.length && !this.#gone;) {
        const chunk = payload.read(position, CHUNK_BYTES);
        position += chunk.length;
        if (!this.#response.write(chunk)) await this.#drained();
      }
      this.#response.end();
    } catch (error) {
      // A spool that cannot be read: the client sees that it has not got all of it.
      if (!(error instanceof Error)) throw error;
      this.#response.destroy();
    } finally {
      payload.close();
    }
  }

  #drained(): Promise<void> {
    if (this.#gone) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.#response.off('drain', done).off('close', done);
        resolve();
      };
      this.#response.once('drain', done).once('close', done);
    });
  }
}

function withoutLineFeed(bytes: Buffer): Buffer {
  return bytes.at(-1) === 0x0a ? bytes.subarray(0, -1) : bytes;
}

function copied(headers: AnswerHeaders): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
}
