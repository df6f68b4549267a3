import {
  type ActionResponse,
  canonicalize,
  DEFAULT_MAX_FRAME_BYTES,
  encodeFrame,
  FrameDecoder,
  isSublError,
  type JsonValue,
  type MacKey,
  parseJson,
  REQUEST_ID,
  requestMac,
  type SessionKeys,
  type Speaks,
  SublError,
} from '@subluminal/core-types';
import type { Socket } from '../connect.js';
import { TurnWriter } from '../turn-writer.js';
import { CanonicalText } from './canonical-text.js';
import { Deadlines } from './deadlines.js';
import type { GatewayClient, RequestOptions } from './gateway-client.js';
import { type Arrived, Incoming } from './incoming.js';
import { IsoClock } from './iso-clock.js';
import { lost } from './lost.js';
import { PendingRequest } from './pending.js';

/** Requests sent or queued at once; one more is refused with `overloaded`. */
const MAX_PENDING = 4096;
const DEFAULT_TIMEOUT_MS = 60_000;

export interface ConnectionOptions {
  readonly socket: Socket;
  readonly keys: SessionKeys;
  readonly ledgerId: string;
  /** The source that requests name: the run id, or the kind of the key. */
  readonly source: string;
  readonly clock: () => number;
  /** Milliseconds of a clock that only goes forward. */
  readonly monotonic: () => number;
  /** The last frame of the handshake, which leaves with the first request. */
  readonly proof: Buffer;
  /**
   * Goes into requests until one succeeds: a gateway takes nothing before it knows that both speak the same
   * protocol.
   */
  readonly speaks: Speaks;
  readonly nextId: () => string;
  readonly onPush: ((event: JsonValue) => void) | undefined;
}

/**
 * An authenticated connection. Whatever arrives on it is verified against the session keys and its place in
 * the sequence before it is looked at; the first thing that does not verify ends the connection and every
 * request on it.
 */
export class Connection implements GatewayClient {
  readonly ledgerId: string;
  readonly closed: Promise<SublError>;
  readonly #socket: Socket;
  /** Signs what is sent. */
  readonly #key: MacKey;
  readonly #sourceText: string;
  readonly #clock: () => number;
  readonly #speaks: Speaks;
  readonly #nextId: () => string;
  readonly #onPush: ((event: JsonValue) => void) | undefined;
  readonly #decoder = new FrameDecoder();
  readonly #isoClock = new IsoClock();
  readonly #pending = new Map<string, PendingRequest>();
  readonly #incoming: Incoming;
  readonly #writer: TurnWriter;
  readonly #deadlines: Deadlines;
  #queue: PendingRequest[] = [];
  #sent = 0;
  /** Whether an answer has shown that the gateway knows what we speak: until then every request says it. */
  #introduced = false;
  /** The gateway's clock minus ours, in milliseconds, as far as it told us. */
  #clockOffset = 0;
  #reason: SublError | undefined;
  #resolveClosed: (reason: SublError) => void = () => undefined;

  constructor(options: ConnectionOptions) {
    this.ledgerId = options.ledgerId;
    this.#socket = options.socket;
    this.#key = options.keys.c2s;
    this.#incoming = new Incoming(options.keys.s2c, this.#pending);
    this.#sourceText = JSON.stringify(options.source);
    this.#clock = options.clock;
    this.#speaks = options.speaks;
    this.#nextId = options.nextId;
    this.#onPush = options.onPush;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#socket.on('data', (chunk: Buffer) => this.#onData(chunk));
    this.#deadlines = new Deadlines(options.monotonic, (now) => this.#expire(now));
    this.#writer = new TurnWriter({ output: this.#socket, onDrain: () => this.#flush() });
    this.#writer.write(options.proof);
    this.#socket.on('error', (cause) => this.#end(lost('the connection to the gateway broke', cause)));
    this.#socket.on('close', () => this.#end(lost('the gateway closed the connection')));
    this.#socket.resume();
  }

  request(action: string, payload: unknown, options: RequestOptions = {}): Promise<ActionResponse> {
    return new Promise((resolve, reject) => {
      const payloadCanonical = this.#canonical(payload);
      const take = (answer: ActionResponse): void => {
        // The two clocks differ: it is asked once more, by the gateway's.
        const offset = isStale(answer) ? Date.parse(answer.timestamp) - this.#clock() : Number.NaN;
        if (Number.isNaN(offset)) resolve(answer);
        else {
          this.#clockOffset = offset;
          resolve(this.#repeat(action, payloadCanonical, options));
        }
      };
      this.#exchange(action, payloadCanonical, options.id ?? this.#nextId(), options, take, reject);
    });
  }

  #repeat(action: string, payloadCanonical: string, options: RequestOptions): Promise<ActionResponse> {
    return new Promise((resolve, reject) =>
      this.#exchange(action, payloadCanonical, this.#nextId(), options, resolve, reject),
    );
  }

  close(): void {
    this.#end(lost('the connection was closed on this side'));
  }

  /**
   * The canonical text of a payload, which says as well what this program speaks until the gateway knows it.
   */
  #canonical(payload: unknown): string {
    const written = payload instanceof CanonicalText;
    if (this.#introduced) return written ? payload.text : canonicalize(payload);
    return canonicalize(introduced(written ? parseJson(payload.text) : payload, this.#speaks));
  }

  #exchange(
    action: string,
    payloadCanonical: string,
    id: string,
    options: RequestOptions,
    resolve: (answer: ActionResponse) => void,
    reject: (error: Error) => void,
  ): void {
    const { signal, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    const refusal = this.#refusal(id, signal);
    if (refusal !== undefined) {
      reject(refusal);
      return;
    }
    const expiresAt = this.#deadlines.in(timeoutMs);
    const request = new PendingRequest({
      id,
      action,
      payloadCanonical,
      timeoutMs,
      expiresAt,
      signal,
      resolve,
      reject,
    });
    if (this.#writer.full) this.#queue.push(request);
    else this.#send(request);
  }

  #refusal(id: string, signal: AbortSignal | undefined): SublError | undefined {
    if (this.#reason !== undefined) return this.#reason;
    if (!REQUEST_ID.test(id)) return new SublError('invalid_request', `\`${id}\` cannot be a request id`);
    if (this.#pending.has(id)) return new SublError('replayed', `the request id \`${id}\` is in flight`);
    if (signal?.aborted === true)
      return new SublError('timed_out', 'the request was given up before it was sent');
    if (this.#pending.size + this.#queue.length >= MAX_PENDING) {
      return new SublError('overloaded', `${MAX_PENDING} requests wait for the gateway`);
    }
    return undefined;
  }

  #send(request: PendingRequest): void {
    const seq = this.#sent + 1;
    const { id, action, payloadCanonical } = request;
    const timestamp = this.#isoClock.textOf(this.#clock() + this.#clockOffset);
    let frame: Buffer;
    try {
      request.mac = requestMac(this.#key, { seq, id, timestamp, action, payloadCanonical });
      // Its members in this order, so that the gateway reads it without its strict parser (`quick-frame.ts`).
      frame = encodeFrame(
        `{"id":"${id}","timestamp":"${timestamp}","action":${JSON.stringify(action)},` +
          `"payload":${payloadCanonical},"source":${this.#sourceText},"signature":"${request.mac}"}`,
        DEFAULT_MAX_FRAME_BYTES,
      );
    } catch (error) {
      // Nothing was sent, so the place in the sequence is still free.
      if (!isSublError(error)) throw error;
      request.reject(error);
      return;
    }
    this.#sent = seq;
    this.#pending.set(id, request);
    this.#writer.write(frame);
  }

  #flush(): void {
    const queue = this.#queue;
    let next = 0;
    for (; next < queue.length && !this.#writer.full; next += 1) {
      const request = queue[next];
      if (request !== undefined && !request.settled) this.#send(request);
    }
    this.#queue = queue.slice(next);
  }

  /** Gives up every request whose time is up, and tells when the next one's will be. */
  #expire(now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const requests of [this.#pending.values(), this.#queue]) {
      for (const request of requests) {
        if (request.settled) continue;
        if (request.expiresAt <= now) request.expire();
        else next = Math.min(next, request.expiresAt);
      }
    }
    return next;
  }

  #onData(chunk: Buffer): void {
    try {
      for (const text of this.#decoder.push(chunk)) {
        if (this.#reason !== undefined) return;
        this.#take(this.#incoming.read(text));
      }
    } catch (cause) {
      if (!isSublError(cause)) throw cause;
      this.#end(
        cause.code === 'handshake_refused' ? cause : lost('the gateway sent what cannot be read', cause),
      );
    }
  }

  #take(arrived: Arrived): void {
    if ('event' in arrived) {
      this.#onPush?.(arrived.event);
      return;
    }
    const { request, answer } = arrived;
    this.#pending.delete(request.id);
    if (answer.status === 'success') this.#introduced = true;
    request.resolve(answer);
  }

  #end(reason: SublError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#socket.destroy();
    this.#deadlines.stop();
    const waiting = [...this.#pending.values(), ...this.#queue];
    this.#pending.clear();
    this.#queue = [];
    for (const request of waiting) request.reject(reason);
    this.#resolveClosed(reason);
  }
}

function isStale({ status, error }: ActionResponse): boolean {
  return status === 'error' && error?.code === 'stale_timestamp';
}

/** A payload that says as well what this program speaks. */
function introduced(payload: unknown, speaks: Speaks): unknown {
  return typeof payload === 'object' && payload !== null ? { ...payload, speaks } : payload;
}
