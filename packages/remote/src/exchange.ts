import { isSublError } from '@subluminal/core-types';
import {
  endWithout,
  type Arrival,
  type Flight,
  type InFlight,
  type Message,
  type Outbox,
  type Payload,
  type Place,
  takeAnswer,
  takeNotification,
  takeRequest,
  type Traffic,
} from '@subluminal/mcp';
import type { StreamAnswer } from '@subluminal/egress';
import { errorText } from '@subluminal/gateway';
import type { Ask } from './client/ask.js';
import type { Channel, OpenExchange } from './channel.js';
import { type ClientAnswer } from './client/client-answer.js';
import { answerHeaders, isEventStream, isJson } from './server/answer-headers.js';
import type { HttpLimits } from './limits.js';
import {
  BodyBroken,
  type Judged,
  judgeBytes,
  judgeLarge,
  type ReadingLimits,
  readMessage,
} from './client/read-message.js';
import { HttpRefusal, refusalBody, RPC } from './client/refusal.js';
import type { RunLink } from './run-link.js';
import { EventPump } from './sse/pump.js';
import { StreamBroken, type ServerEvent } from './sse/reader.js';

/**
 * The number of messages that cannot be judged after which a stream ends. Each is recorded, and an honest
 * server sends none.
 */
const MAX_UNJUDGED = 256;

/** What every exchange works with. */
export interface ExchangeParts {
  readonly run: RunLink;
  readonly channel: Channel;
  readonly ask: Ask;
  readonly answer: ClientAnswer;
  readonly reading: ReadingLimits;
  readonly limits: HttpLimits;
}

/**
 * One request of a client and all that its server answers to it: one message, or a stream of them, of which
 * each is judged as a line of stdio is.
 */
export class Exchange implements OpenExchange {
  readonly #parts: ExchangeParts;
  readonly #traffic: Traffic;
  readonly #waiting: InFlight;
  readonly #abort = new AbortController();
  /** The request of the client that this exchange is for. */
  #request: (Message & { readonly type: 'request' }) | undefined;
  #flight: Flight | undefined;
  /** Closing the stream cancels the request (from revision 2026-07-28 on). */
  #closeCancels = false;
  /** The server has given an event an id: what is missing can be asked for by another stream. */
  #resumable = false;
  /** Messages of its stream that could not be judged. */
  #unjudged = 0;
  /** What the server answered with. */
  #status = 0;
  #pump: EventPump | undefined;
  #finish: () => void = () => undefined;
  /** Resolves when nothing of it goes on. */
  readonly finished: Promise<void>;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    const { channel, answer, ask } = parts;
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
    const isPost = ask.method === 'POST';
    this.#waiting = isPost ? channel.flightsOfPost(channel.sessionId !== undefined) : channel.waiting;
    this.#traffic = channel.traffic(
      { to_server: isPost ? this.#ofClient() : channel.toServer, to_client: answer },
      this.#waiting,
    );
    channel.begin(this, ask);
    answer.onGone(() => this.#clientGone());
    void this.finished.then(() => channel.finish(this));
  }

  /** The session, or the run, is over. */
  abort(): void {
    this.#abort.abort();
    this.#pump?.wake();
    if (this.#parts.answer.begun) this.#parts.answer.breakOff();
    else this.#parts.answer.refuse(new HttpRefusal(404, 'the session is over', RPC.unknownSession));
    this.#finish();
  }

  /** Takes the message of a POST. */
  post({ message, payload, bytes, streamHash }: Judged, closeCancels: boolean): void {
    const arrival: Arrival = { direction: 'to_server', payload, bytes, streamHash };
    this.#closeCancels = closeCancels;
    this.#taken = false;
    if (message.type === 'refused') {
      // One answer is all that there is room for: of several requests in one message none gets it.
      if (message.ids.length > 1) this.#traffic.refuse({ ...message, ids: [] }, arrival);
      else this.#traffic.refuse(message, arrival);
      this.#refused(`not forwarded: ${message.text}`);
      return;
    }
    if (message.type === 'request') this.#request = message;
    this.#take(message, arrival);
    if (message.type === 'request' && this.#taken) this.#flight = this.#waiting.waiting(message.id);
    if (this.#flight !== undefined) this.#flight.onGivenUp = () => this.#givenUp();
    if (!this.#taken) this.#refused('not forwarded: nobody waits for this message');
  }

  /** Passes on a request without a message: the stream of a session, or its end. Resolves with the status. */
  async pass(): Promise<number> {
    const { ask, answer } = this.#parts;
    try {
      const found = await this.#send(undefined);
      if (found.status === 200 && isEventStream(found)) await this.#stream(found);
      else await this.#plain(found);
      return found.status;
    } catch (error) {
      this.#failed(error);
      return 0;
    } finally {
      if (!answer.begun && ask.method !== 'POST') answer.fail(502, 'the server did not answer', undefined);
      this.#finish();
    }
  }

  /** It took too long. */
  #isGivenUp = false;

  /** Something was done with the message: forwarded, or waiting for its decision. */
  #taken = false;

  /** Where a message of the client goes: to the server, as the request that it came as. */
  #ofClient(): Outbox {
    const { channel } = this.#parts;
    return {
      reserve: (room, original): Place => {
        // What we say ourselves, in place of a client that has nothing to say.
        if (room.own || original === undefined) return channel.toServer.reserve(room, original);
        this.#taken = true;
        return {
          send: (payload) => void this.#forward(payload),
          drop: () => this.#dropped(),
        };
      },
    };
  }

  /** A decision has refused it. A request has its answer, or gets it in this turn. */
  #dropped(): void {
    if (this.#request === undefined) this.#refused('refused by policy', 403);
    else setImmediate(() => this.#finish());
  }

  #refused(text: string, status = 400): void {
    const { answer } = this.#parts;
    if (!answer.begun) answer.plain(status, JSON_TYPE, refusalBody(RPC.invalidRequest, text));
    this.#finish();
  }

  async #forward(payload: Payload): Promise<void> {
    try {
      if (this.#abort.signal.aborted) return;
      // It was cancelled while it was decided: its cancellation has overtaken it, since each comes by a
      // request of its own.
      if (this.#flight?.cancelled === true)
        throw new HttpRefusal(200, 'cancelled by its sender', RPC.internal);
      const found = await this.#send(payload);
      this.#nameSession(found);
      if (found.status >= 200 && found.status < 300 && isEventStream(found)) await this.#stream(found);
      else if (isJson(found)) await this.#single(found);
      else await this.#plain(found);
    } catch (error) {
      this.#failed(error);
    } finally {
      if (!Buffer.isBuffer(payload)) payload.close();
      this.#settle();
      if (!this.#parts.answer.begun && this.#request === undefined)
        this.#parts.answer.plain(202, {}, Buffer.alloc(0));
      this.#finish();
    }
  }

  async #send(body: Payload | undefined): Promise<StreamAnswer> {
    const { ask, channel } = this.#parts;
    const found = await channel.link.server.send(
      { method: ask.method, headers: ask.forward, body },
      this.#abort.signal,
    );
    this.#status = found.status;
    return found;
  }

  /** The server does not know the session any more: the client begins another one. */
  get sessionIsGone(): boolean {
    return this.#status === 404 && this.#parts.ask.sessionId !== undefined;
  }

  /** The answer to the request that opens a session has its id. */
  #nameSession(found: StreamAnswer): void {
    const { run, channel, ask } = this.#parts;
    const [given] = found.headers.get('mcp-session-id') ?? [];
    if (this.#request?.method !== 'initialize') return;
    try {
      if (given !== undefined && channel.sessionId === undefined) run.name(channel, ask, given);
    } catch (error) {
      found.close();
      throw error;
    }
  }

  /** One message as a whole body. */
  async #single(found: StreamAnswer): Promise<void> {
    const { answer, reading, channel } = this.#parts;
    answer.prepare(found.status, answerHeaders(found, channel.sessionId));
    const judged = await readMessage(found.body, reading).finally(() => found.close());
    if (this.#isStatus(judged, found)) return;
    this.#takeFromServer(judged);
    // It may wait for a decision.
    await this.#parts.answer.settled();
  }

  /**
   * A server that refuses a request before it has looked at it says so in a body that is no answer to anyone.
   */
  #isStatus({ message, payload }: Judged, { status, headers }: StreamAnswer): boolean {
    if (status < 400 || message.type !== 'refused') return false;
    const { answer, channel } = this.#parts;
    if (!Buffer.isBuffer(payload)) payload.close();
    const shown = answerHeaders({ headers }, channel.sessionId);
    answer.plain(
      status,
      { ...shown, ...JSON_TYPE },
      refusalBody(RPC.internal, `the server answered with status ${status}`),
    );
    return true;
  }

  /** A status without a message of the protocol. */
  async #plain(found: StreamAnswer): Promise<void> {
    const { answer, channel } = this.#parts;
    const headers = answerHeaders(found, channel.sessionId);
    const { status } = found;
    found.body.on('error', () => undefined);
    found.close();
    if (status >= 200 && status < 300) {
      if (this.#request === undefined) answer.plain(status, headers, Buffer.alloc(0));
      else answer.fail(502, 'the server gave no answer that could be read', this.#request.id.text);
      return;
    }
    const body = refusalBody(
      RPC.internal,
      `the server answered with status ${status}`,
      this.#request?.id.text,
    );
    const shown = status >= 300 && status < 400 ? 502 : status;
    answer.plain(shown, { ...headers, ...JSON_TYPE }, body);
  }

  /** A stream of messages, each judged as it comes, no faster than the client reads. */
  async #stream(found: StreamAnswer): Promise<void> {
    const { answer, channel, limits, reading } = this.#parts;
    const { server } = channel.link;
    const pump = new EventPump({
      reading,
      limits,
      // What was taken from the allowlist meanwhile says nothing more.
      mayGoOn: () => (server.isOutdated ? server.decideAgain() : undefined),
      onEvent: (event) => this.#event(event),
      onComment: () => answer.comment(),
    });
    this.#pump = pump;
    answer.openStream(answerHeaders(found, channel.sessionId), (high) => pump.pressure(high));
    try {
      await pump.run(found);
      await answer.endStream();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (this.#isGivenUp) await answer.endStream();
      else answer.breakOff();
    }
  }

  #event({ fields, data }: ServerEvent): void {
    const { answer } = this.#parts;
    if (fields.id !== undefined && fields.id !== '') this.#resumable = true;
    if (data === undefined || (Buffer.isBuffer(data) && data.length === 0)) {
      answer.event(fields, data);
      return;
    }
    answer.next(fields);
    const judged = Buffer.isBuffer(data) ? judgeBytes(data) : judgeLarge(data);
    this.#takeFromServer(judged);
    if (judged.message.type !== 'refused') return;
    this.#unjudged += 1;
    if (this.#unjudged >= MAX_UNJUDGED) throw new StreamBroken('too much of the stream cannot be judged');
  }

  #takeFromServer({ message, payload, bytes, streamHash }: Judged): void {
    const arrival: Arrival = { direction: 'to_client', payload, bytes, streamHash };
    if (message.type === 'refused') this.#traffic.refuse(message, arrival);
    else this.#take(message, arrival);
  }

  #take(message: Message, arrival: Arrival): void {
    if (message.type === 'request') takeRequest(this.#traffic, message, arrival);
    else if (message.type === 'notification') takeNotification(this.#traffic, message, arrival);
    else takeAnswer(this.#traffic, message, arrival);
  }

  /**
   * The client has its answer: what the server still says in this stream is for nobody. From revision
   * 2026-07-28 on the end of the stream tells the server.
   */
  #givenUp(): boolean {
    this.#isGivenUp = true;
    this.#abort.abort();
    this.#pump?.wake();
    return this.#closeCancels;
  }

  /**
   * A client that leaves has cancelled its request, from revision 2026-07-28 on; before, it may come back for
   * the rest.
   */
  #clientGone(): void {
    const flight = this.#flight;
    if (this.#closeCancels && flight !== undefined && !flight.cancelled) {
      flight.cancelled = true;
      const latency = this.#traffic.since(flight.sentAt);
      this.#traffic.endFlight(flight, endWithout('CANCELLED', latency, 'unknown', 'cancelled by its sender'));
    }
    this.#abort.abort();
    this.#pump?.wake();
  }

  /**
   * Nothing more comes for the request: its call has ended, unless what is missing can be asked for again.
   */
  #settle(): void {
    const flight = this.#flight;
    const request = this.#request;
    if (this.#isGivenUp) return;
    if (flight === undefined || request === undefined || this.#waiting.waiting(request.id) !== flight) return;
    const { answer, channel } = this.#parts;
    if (this.#resumable && this.#waiting === channel.waiting && !channel.ended) return;
    this.#waiting.remove(request.id);
    const text = answer.gone ? 'the client left before an answer came' : 'no answer came';
    this.#traffic.endFlight(
      flight,
      endWithout('ERROR', this.#traffic.since(flight.sentAt), 'transport', text),
    );
    if (!answer.begun) answer.fail(502, 'the server gave no answer that could be read', request.id.text);
  }

  #failed(error: unknown): void {
    const { answer } = this.#parts;
    const idText = this.#request?.id.text;
    if (error instanceof HttpRefusal) answer.refuse(error, idText);
    else if (isSublError(error))
      answer.fail(error.code === 'not_allowed' ? 403 : 502, error.message, idText, error.code);
    else if (error instanceof BodyBroken) answer.fail(502, `the server's answer: ${error.message}`, idText);
    else if (this.#abort.signal.aborted) answer.fail(502, 'the request was given up', idText);
    else answer.fail(502, `the server could not be asked (${errorText(error).slice(0, 128)})`, idText);
  }
}

const JSON_TYPE = { 'content-type': 'application/json' } as const;
