import { SublError } from '@subluminal/core-types';
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { startDeadline } from './deadline.js';
import type { Dialer } from './dial.js';
import { clientOn, explain, type HttpLibrary, httpLibrary, readHeaders, tooLarge } from './http-client.js';
import type { CheckedDestination } from './resolve.js';

/** One request. `headers` were checked: no framing or routing header, no control character. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'PROPFIND' | 'REPORT';
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** `timeoutMs` runs from the connection to the last byte of the body. */
export interface HttpLimits {
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
}

/**
 * One complete answer. Header names are in lower case; a header that came more than once has all its values.
 */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** As it came: a content coding that the server chose is not undone. */
  readonly body: Uint8Array;
}

/**
 * One HTTP/1.1 request over one new connection, which nothing else uses before or after. Redirects are not
 * followed and nothing is retried. The answer is complete or there is none: over `maxResponseBytes` the
 * socket is destroyed.
 *
 * Throws `timed_out`, `response_too_large`, `adapter_failed`, or what `signal` was aborted with. Messages
 * name the origin, never a header.
 */
export async function exchange(
  dialer: Pick<Dialer, 'connect'>,
  checked: CheckedDestination,
  request: HttpRequest,
  limits: HttpLimits,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const http = await httpLibrary();
  const tooSlow = (): SublError =>
    new SublError(
      'timed_out',
      `\`${checked.origin}\` did not answer completely within ${limits.timeoutMs} ms`,
    );
  const deadline = startDeadline(limits.timeoutMs, signal, tooSlow);
  try {
    const connection = await dialer.connect(checked, limits.timeoutMs, deadline.signal);
    return await converse(http, connection, checked, request, limits, deadline.signal);
  } catch (error) {
    throw deadline.reason() ?? explain(http, error, checked);
  } finally {
    deadline.end();
  }
}

async function converse(
  http: HttpLibrary,
  connection: Socket,
  checked: CheckedDestination,
  request: HttpRequest,
  limits: HttpLimits,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const client = clientOn(http, connection, checked);
  try {
    const answer = await client.request({
      path: request.target,
      method: request.method,
      headers: request.headers,
      body: request.body ?? null,
      reset: true,
      signal,
    });
    const headers = readHeaders(answer.headers, checked);
    const body = await readBody(answer, checked, limits.maxResponseBytes);
    return { status: answer.statusCode, headers, body };
  } finally {
    await client.destroy();
    connection.destroy();
  }
}

async function readBody(
  answer: Dispatcher.ResponseData,
  checked: CheckedDestination,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('a body chunk is not bytes');
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(checked, `more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
