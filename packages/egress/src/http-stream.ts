import { SublError } from '@subluminal/core-types';
import type { Readable } from 'node:stream';
import { startDeadline } from './deadline.js';
import type { Dialer } from './dial.js';
import {
  clientOn,
  ConnectionGone,
  explain,
  type HttpLibrary,
  httpLibrary,
  readHeaders,
} from './http-client.js';
import { type Connection, end, type KeptConnections } from './kept-connections.js';
import type { CheckedDestination } from './resolve.js';

/**
 * One request whose answer may go on for long. `headers` were checked: no framing or routing header, no
 * control character.
 */
export interface StreamRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path and query. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | { readonly open: () => Readable; readonly length: number } | undefined;
}

/**
 * An answer as it begins. Header names are in lower case; a header that came more than once has all its
 * values.
 */
export interface StreamAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Readable;
  /** Ends the connection, where the answer has not come to its end. Closing twice is fine. */
  close(): void;
}

/** Where connections come from, and where those go that can carry another request. */
export interface Line {
  readonly dialer: Dialer;
  readonly kept: KeptConnections;
}

/**
 * One HTTP/1.1 request, whose answer is read as it comes. Redirects are not followed. `answerMs` limits the
 * time until the header of the answer is there, and nothing limits its body: whoever reads it does. It goes
 * over a connection that an earlier request under the very same decision has left, else over a new one;
 * nothing else uses it meanwhile. When the body was read to its end the connection is kept; `close`, or an
 * aborted `signal`, ends it.
 *
 * Nothing is sent twice. A kept connection may have been given up by the server just then: only where nothing
 * of the request was written a new one is dialled; else whoever asked is told that it failed, and whether it
 * was carried out nobody knows.
 *
 * Throws `timed_out`, `response_too_large`, `adapter_failed`, or what `signal` was aborted with. Messages
 * name the origin, never a header.
 */
export async function openExchange(
  line: Line,
  checked: CheckedDestination,
  request: StreamRequest,
  limits: { readonly connectMs: number; readonly answerMs: number },
  signal: AbortSignal,
): Promise<StreamAnswer> {
  const { dialer, kept } = line;
  const http = await httpLibrary();
  const used = kept.take(checked);
  if (used !== undefined) {
    const { bytesWritten } = used.socket;
    try {
      return await converse(http, line, used, checked, request, limits, signal);
    } catch (error) {
      const isUnsent = error instanceof ConnectionGone && used.socket.bytesWritten === bytesWritten;
      if (!isUnsent) throw error;
    }
  }
  const socket = await dialer.connect(checked, limits.connectMs, signal);
  const connection = { socket, client: clientOn(http, socket, checked) };
  return converse(http, line, connection, checked, request, limits, signal);
}

async function converse(
  http: HttpLibrary,
  { kept }: Line,
  connection: Connection,
  checked: CheckedDestination,
  request: StreamRequest,
  limits: { readonly answerMs: number },
  signal: AbortSignal,
): Promise<StreamAnswer> {
  const close = (): void => end(connection);
  const tooSlow = (): SublError =>
    new SublError('timed_out', `\`${checked.origin}\` did not begin to answer within ${limits.answerMs} ms`);
  const deadline = startDeadline(limits.answerMs, signal, tooSlow);
  try {
    const answer = await connection.client.request({
      path: request.target,
      method: request.method,
      headers: [...request.headers.flatMap(([name, value]) => [name, value]), ...lengthOf(request)],
      body: bodyOf(request),
      signal: deadline.signal,
    });
    const headers = readHeaders(answer.headers, checked);
    signal.addEventListener('abort', close, { once: true });
    let isWhole = true;
    // A reader hears of it by other ways, and a caller that closed it does not want to.
    answer.body.on('error', () => {
      isWhole = false;
    });
    answer.body.once('close', () => {
      signal.removeEventListener('abort', close);
      if (isWhole && answer.body.readableEnded && !signal.aborted) kept.keep(checked, connection);
      else close();
    });
    const leave = (): void => {
      if (!answer.body.readableEnded) close();
    };
    return { status: answer.statusCode, headers, body: answer.body, close: leave };
  } catch (error) {
    close();
    throw deadline.reason() ?? explain(http, error, checked);
  } finally {
    deadline.end();
  }
}

function bodyOf({ body }: StreamRequest): Buffer | Readable | null {
  if (body === undefined) return null;
  return Buffer.isBuffer(body) ? body : body.open();
}

/** A body that comes in pieces is announced by its length, as one that comes at once is. */
function lengthOf({ body }: StreamRequest): string[] {
  return body === undefined || Buffer.isBuffer(body) ? [] : ['content-length', String(body.length)];
}
