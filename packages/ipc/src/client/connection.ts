import {
  type ActionResponse,
  canonicalize,
  DEFAULT_MAX_FRAME_BYTES,
  encodeFrame,
  FrameDecoder,
  isJsonObject,
  isSublError,
  type JsonObject,
  type JsonValue,
  macEquals,
  parseJson,
  pushMac,
  REQUEST_ID,
  requestMac,
  responseMac,
  type SessionKeys,
  type Speaks,
  SublError,
} from '@subluminal/core-types';
import type { Socket } from '../connect.js';
import { TurnWriter } from '../turn-writer.js';
import { answerOf } from './answer.js';
import { BodyReader } from './body-reader.js';
import { CanonicalText } from './canonical-text.js';
import { Deadlines } from './deadlines.js';
import type { GatewayClient, RequestOptions } from './gateway-client.js';
import { IsoClock } from './iso-clock.js';
import { PendingRequest } from './pending.js';
import { refusalOf } from './refusal.js';
import { type AnswerText, answerTextOf, readAnswerText } from './signed-text.js';

/** Requests sent or queued at once; one more is refused with `overloaded`. */
const MAX_PENDING = 4096;
const DEFAULT_TIMEOUT_MS = 60_000;

export interface ConnectionOptions {
  readonly socket: Socket;
  readonly keys: SessionKeys;
  readonly ledgerId: string;
  /** What the requests name as their source: the run id, or the kind of the key. */
  readonly source: string;
  readonly clock: () => number;
  /** Milliseconds of a clock that only goes forward. */
  readonly monotonic: () => number;
  /** The last frame of the handshake, which leaves with the first request. */
  readonly proof: Buffer;
  /** Goes into requests until one succeeds: a gateway takes nothing before it knows that both speak the same protocol. */
  readonly speaks: Speaks;
  readonly nextId: () => string;
  readonly onPush: ((event: JsonValue) => void) | undefined;
}

/**
 * An authenticated connection. Whatever arrives on it is verified against the session keys and its place in the
 * sequence before it is looked at; the first thing that does not verify ends the connection and every request on it.
 */
export class Connection implements GatewayClient {
  readonly ledgerId: string;
  readonly closed: Promise<SublError>;
  readonly #socket: Socket;
  readonly #keys: SessionKeys;
  readonly #sourceText: string;
  readonly #clock: () => number;
  readonly #speaks: Speaks;
  readonly #nextId: () => string;
  readonly #onPush: ((event: JsonValue) => void) | undefined;
  readonly #decoder = new FrameDecoder();
  readonly #isoClock = new IsoClock();
  readonly #bodies = new BodyReader();
  readonly #pending = new Map<string, PendingRequest>();
  readonly #writer: TurnWriter;
  readonly #deadlines: Deadlines;
  #queue: PendingRequest[] = [];
  #sent = 0;
  /** Whether an answer has shown that the gateway knows what we speak: until then every request says it. */
  #introduced = false;
  #received = 0;
  /** The gateway's clock minus ours, in milliseconds, as far as it told us. */
  #clockOffset = 0;
  #reason: SublError | undefined;
  #resolveClosed: (reason: SublError) => void = () => undefined;

  constructor(options: ConnectionOptions) {
    this.ledgerId = options.ledgerId;
    this.#socket = options.socket;
    this.#keys = options.keys;
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
      const again = (answer: ActionResponse): void => {
        if (answer.status !== 'error' || answer.error?.code !== 'stale_timestamp') {
          resolve(answer);
          return;
        }
        this.#clockOffset = Date.parse(answer.timestamp) - this.#clock();
        this.#exchange(action, payloadCanonical, this.#nextId(), options, resolve, reject);
      };
      this.#exchange(action, payloadCanonical, options.id ?? this.#nextId(), options, again, reject);
    });
  }

  close(): void {
    this.#end(lost('the connection was closed on this side'));
  }

  /** The canonical text of a payload, which says as well what this program speaks until the gateway knows it. */
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
      request.mac = requestMac(this.#keys.c2s, { seq, id, timestamp, action, payloadCanonical });
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
        this.#receive(text);
      }
    } catch (cause) {
      if (!isSublError(cause)) throw cause;
      this.#end(
        cause.code === 'handshake_refused' ? cause : lost('the gateway sent what cannot be read', cause),
      );
    }
  }

  #receive(text: string): void {
    const cut = answerTextOf(text);
    if (cut !== undefined && this.#takeSigned(cut)) return;
    const frame = parseJson(text);
    if (!isJsonObject(frame)) throw lost('the gateway sent a frame that is no object');
    if (Object.hasOwn(frame, 'requestId')) this.#receiveAnswer(frame);
    else if (Object.hasOwn(frame, 'event')) this.#receivePush(frame);
    else
      throw (
        (this.#received === 0 ? refusalOf(frame) : undefined) ?? lost('the gateway sent an unknown frame')
      );
  }

  /** An answer in the gateway's own words: its body is verified as it stands, and only then read. False for any other. */
  #takeSigned(cut: AnswerText): boolean {
    const request = this.#pending.get(cut.requestId);
    if (request === undefined) return false;
    const { requestId, timestamp, status, auditRef, body } = cut;
    const expected = responseMac(this.#keys.s2c, {
      seq: this.#received + 1,
      requestId,
      requestMac: request.mac,
      timestamp,
      status,
      auditRef,
      bodyCanonical: body,
    });
    if (!macEquals(cut.signature, expected)) return false;
    const answer = readAnswerText(cut, this.#bodies);
    if (answer === undefined) return false;
    this.#settle(request, answer);
    return true;
  }

  #receiveAnswer(frame: JsonObject): void {
    const answer = answerOf(frame);
    const request = answer === undefined ? undefined : this.#pending.get(answer.requestId);
    if (answer === undefined || request === undefined) throw lost('an answer fits no request');
    const { requestId, timestamp, status, auditRef, data, error } = answer;
    const expected = responseMac(this.#keys.s2c, {
      seq: this.#received + 1,
      requestId,
      requestMac: request.mac,
      timestamp,
      status,
      auditRef,
      data,
      error,
    });
    if (!macEquals(answer.signature, expected)) throw lost('an answer is not signed by the gateway');
    this.#settle(request, answer);
  }

  #settle(request: PendingRequest, answer: ActionResponse): void {
    this.#received += 1;
    this.#pending.delete(answer.requestId);
    if (answer.status === 'success') this.#introduced = true;
    request.resolve(answer);
  }

  #receivePush(frame: JsonObject): void {
    const event = frame['event'] ?? null;
    const expected = pushMac(this.#keys.s2c, { seq: this.#received + 1, body: { event } });
    if (!macEquals(frame['signature'], expected)) throw lost('a push is not signed by the gateway');
    this.#received += 1;
    this.#onPush?.(event);
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

/** Whatever ends a connection means the same to a caller: there is no gateway, so there is no permission. */
function lost(message: string, cause?: unknown): SublError {
  return new SublError('gateway_unreachable', message, {
    help: 'run `sub status` to see whether the gateway runs',
    ...(cause === undefined ? {} : { cause }),
  });
}

/** A payload that says as well what this program speaks. */
function introduced(payload: unknown, speaks: Speaks): unknown {
  return typeof payload === 'object' && payload !== null ? { ...payload, speaks } : payload;
}
