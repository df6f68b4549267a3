import { createServer, request, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type Duplex, pipeline } from 'node:stream';
import { Denial } from '../denial.js';
import { problemOf } from '../deny.js';
import type { Field } from '../client/head-reader.js';
import { encodeHead } from '../client/hop-by-hop.js';
import { concealing } from './concealing.js';
import { EarlyBytes } from './early-bytes.js';
import { isWebSocket, judgeAnswer, type MadeAnswer } from './judge-answer.js';
import { type DecidedPlace, judgeRequest, type MadeRequest } from './judge-request.js';
import { OneConnection } from './one-connection.js';
import { RefusedExchange } from './refused-exchange.js';
import type { SecretTexts } from './secret-texts.js';

/** Requests that one connection may have sent before they were answered. */
const MAX_PIPELINED = 16;

export interface ExchangeParts {
  readonly place: DecidedPlace;
  readonly secrets: SecretTexts;
  /** The secure connection to the server. */
  readonly server: Duplex;
  readonly maxHeadBytes: number;
  /** A request is about to be sent on, with the secrets of these variables. */
  readonly onRequest: (injected: readonly string[]) => void;
  /** Why the connection ends, where it does not by itself. */
  readonly onFault: (denial: Denial) => void;
}

/**
 * HTTP/1.1 between a client and one server: each request is judged and made anew, with its secrets, and each
 * answer is given back without them. Bodies stream, at the pace of who reads them. It speaks to one client
 * connection.
 */
export class Exchange {
  readonly #parts: ExchangeParts;
  readonly #http: Server;
  readonly #agent: OneConnection;
  #waiting = 0;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    this.#agent = new OneConnection(parts.server);
    const strict = { insecureHTTPParser: false, maxHeaderSize: parts.maxHeadBytes };
    this.#http = createServer({ ...strict, requireHostHeader: false, keepAlive: true });
    // All fields, as far as the head may be long: those that were not seen would not be judged, and count for
    // the parser nevertheless.
    this.#http.maxHeadersCount = 0;
    // Nothing is timed here: who carries nothing for too long is cut by whoever watches connections.
    this.#http.keepAliveTimeout = 0;
    this.#http.headersTimeout = 0;
    this.#http.requestTimeout = 0;
    this.#http.on('request', (message, answer) => this.#serve(message, answer));
    this.#http.on('upgrade', (message: IncomingMessage, client: Duplex, head: Buffer) =>
      this.#serveUpgrade(message, client, head),
    );
    this.#http.on('connect', (_message: IncomingMessage, client: Duplex) =>
      this.#refuseRaw(client, new RefusedExchange(405, 'invalid_request', '`CONNECT` is not carried here')),
    );
    this.#http.on('clientError', (error: NodeJS.ErrnoException, client: Duplex) =>
      this.#misread(error, client),
    );
  }

  /** Serves the client. */
  serve(client: Duplex): void {
    this.#http.emit('connection', client);
  }

  #serve(message: IncomingMessage, answer: ServerResponse): void {
    this.#waiting += 1;
    answer.once('close', () => {
      this.#waiting -= 1;
    });
    try {
      if (this.#waiting > MAX_PIPELINED)
        throw new Denial('overloaded', 'too many requests wait on one connection');
      this.#forward(message, answer, this.#made(message));
    } catch (error) {
      this.#refuse(answer, error);
    }
  }

  #serveUpgrade(message: IncomingMessage, client: Duplex, head: Buffer): void {
    const answer = new ServerResponse(message);
    answer.shouldKeepAlive = false;
    try {
      answer.assignSocket(client as never);
    } catch {
      // It is another answer's, which waits or which Node itself gives: there is no place in which to say no.
      this.#parts.onFault(new Denial('invalid_request', 'an upgrade waits for nothing'));
      client.destroy();
      return;
    }
    const early = new EarlyBytes(client, head);
    answer.once('finish', () => early.leave());
    try {
      const made = this.#made(message);
      if (!made.upgrades)
        throw new RefusedExchange(400, 'invalid_request', 'the upgrade is none of WebSocket');
      this.#forward(message, answer, made, (goesOn, server, first) => {
        if (!isWebSocket(goesOn))
          throw new Denial('protocol_refused', 'the server goes on with another protocol');
        answer.detachSocket(client as never);
        this.#join(client, early.take(), server, first, judgeAnswer(goesOn, this.#parts.secrets.concealed()));
      });
    } catch (error) {
      this.#refuse(answer, error);
    }
  }

  #made(message: IncomingMessage): MadeRequest {
    try {
      return judgeRequest(message, this.#parts.place, this.#parts.secrets);
    } catch (error) {
      if (error instanceof RangeError) throw new Denial('overloaded', error.message);
      throw error;
    }
  }

  #forward(
    message: IncomingMessage,
    answer: ServerResponse,
    { method, path, fields, hasBody, injected, upgrades }: MadeRequest,
    onUpgrade?: (goesOn: IncomingMessage, server: Duplex, first: Buffer) => void,
  ): void {
    const { onRequest, maxHeadBytes } = this.#parts;
    onRequest(injected);
    const outgoing = request({
      agent: this.#agent,
      method,
      path,
      headers: fields.flat(),
      setHost: false,
      insecureHTTPParser: false,
      maxHeaderSize: maxHeadBytes,
    });
    outgoing.maxHeadersCount = 0;
    const failed = (error: unknown): void => {
      outgoing.destroy();
      this.#refuse(answer, error);
    };
    outgoing.on('error', () => failed(new Denial('adapter_failed', 'the server ended without an answer')));
    outgoing.once('response', (incoming) => {
      try {
        this.#answer(incoming, answer);
      } catch (error) {
        failed(error);
      }
    });
    outgoing.once('upgrade', (goesOn, server, first) => {
      try {
        if (onUpgrade === undefined || !upgrades)
          throw new Denial('protocol_refused', 'the server goes on with a protocol that was not asked for');
        onUpgrade(goesOn, server, first);
      } catch (error) {
        server.destroy();
        failed(error);
      }
    });
    answer.on('error', () => outgoing.destroy());
    answer.once('close', () => {
      // The client has left before the answer was whole.
      if (!answer.writableFinished) outgoing.destroy();
    });
    if (hasBody) message.pipe(outgoing);
    else {
      outgoing.end();
      message.resume();
    }
  }

  #answer(incoming: IncomingMessage, answer: ServerResponse): void {
    const { secrets } = this.#parts;
    const { status, reason, fields, isLast } = judgeAnswer(incoming, secrets.concealed());
    // Without the fields that make it one: the client would go on with another protocol, and the server with
    // this one.
    if (status === 101)
      throw new Denial('protocol_refused', 'the server goes on with a protocol that was not asked for');
    answer.sendDate = false;
    answer.writeHead(status, reason, [...fields, ...(isLast ? [CLOSING] : [])].flat());
    answer.flushHeaders();
    pipeline(incoming, concealing(secrets.concealed), answer, (error) => {
      if (error !== undefined && error !== null) answer.destroy();
    });
  }

  /**
   * WebSocket: both sides say what they want; what comes back is still without secrets, as long as nothing is
   * compressed.
   */
  #join(client: Duplex, head: Buffer, server: Duplex, first: Buffer, { reason, fields }: MadeAnswer): void {
    const upgraded: readonly Field[] = [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
    ];
    client.write(encodeHead(`HTTP/1.1 101 ${reason}`, [...fields, ...upgraded]));
    server.write(head);
    const down = concealing(this.#parts.secrets.concealed);
    down.write(first);
    const over = (): void => {
      client.destroy();
      server.destroy();
    };
    pipeline(server, down, client, over);
    pipeline(client, server, over);
  }

  #refuse(answer: ServerResponse, error: unknown): void {
    const denial = Denial.of(error);
    if (answer.headersSent || answer.destroyed) {
      answer.destroy();
      return;
    }
    const { status, fields, body } = problemOf(denial, statusOf(error));
    answer.writeHead(status, [...fields, CLOSING].flat());
    answer.end(body);
    this.#parts.onFault(denial);
  }

  #refuseRaw(client: Duplex, denial: Denial): void {
    const { status, fields, body } = problemOf(denial, statusOf(denial));
    client.end(Buffer.concat([encodeHead(`HTTP/1.1 ${status} ${denial.code}`, [...fields, CLOSING]), body]));
    // Nobody reads it any more, and it could not be seen to leave.
    client.resume();
    this.#parts.onFault(denial);
  }

  #misread(error: NodeJS.ErrnoException, client: Duplex): void {
    if (error.code === 'ECONNRESET' || !client.writable) {
      client.destroy();
      return;
    }
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
    this.#refuseRaw(client, new RefusedExchange(status, 'invalid_request', 'the request cannot be read'));
  }
}

const CLOSING: Field = ['Connection', 'close'];

function statusOf(error: unknown): number | undefined {
  return error instanceof RefusedExchange ? error.status : undefined;
}
