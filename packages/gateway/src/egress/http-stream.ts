import { SublError } from '@subluminal/core-types';
import type { Readable } from 'node:stream';
import { startDeadline } from './deadline.js';
import type { Dialer } from './dial.js';
import { clientOn, explain, httpLibrary, readHeaders } from './http-client.js';
import type { CheckedDestination } from './resolve.js';

/** One request whose answer may go on for long. `headers` were checked: no framing or routing header, no control character. */
export interface StreamRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path and query. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | { readonly stream: Readable; readonly length: number } | undefined;
}

/** An answer as it begins. Header names are in lower case; a header that came more than once has all its values. */
export interface StreamAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Readable;
  /** Ends the connection. Closing twice is fine. */
  close(): void;
}

/**
 * One HTTP/1.1 request over one new connection, whose answer is read as it comes. Redirects are not followed and nothing
 * is retried. `answerMs` limits the time until the header of the answer is there, and nothing limits its body: whoever
 * reads it does. The connection ends with `close`, with the body, or when `signal` is aborted.
 *
 * Throws `timed_out`, `response_too_large`, `adapter_failed`, or what `signal` was aborted with. Messages name the
 * origin, never a header.
 */
export async function openExchange(
  dialer: Dialer,
  checked: CheckedDestination,
  request: StreamRequest,
  limits: { readonly connectMs: number; readonly answerMs: number },
  signal: AbortSignal,
): Promise<StreamAnswer> {
  const http = await httpLibrary();
  const socket = await dialer.connect(checked, limits.connectMs, signal);
  const client = clientOn(http, socket, checked);
  const close = (): void => {
    socket.destroy();
    // What is under way ends with the socket; nobody waits for the client's own end.
    client.destroy().catch(() => undefined);
  };
  const tooSlow = new SublError(
    'timed_out',
    `\`${checked.origin}\` did not begin to answer within ${limits.answerMs} ms`,
  );
  const deadline = startDeadline(limits.answerMs, signal, tooSlow);
  try {
    const answer = await client.request({
      path: request.target,
      method: request.method,
      headers: [...request.headers.flatMap(([name, value]) => [name, value]), ...lengthOf(request)],
      body: bodyOf(request),
      reset: true,
      signal: deadline.signal,
    });
    const headers = readHeaders(answer.headers, checked);
    signal.addEventListener('abort', close, { once: true });
    // Whoever reads it hears of it by other ways, and who has closed it does not want to.
    answer.body.on('error', () => undefined);
    answer.body.once('close', () => {
      signal.removeEventListener('abort', close);
      close();
    });
    return { status: answer.statusCode, headers, body: answer.body, close };
  } catch (error) {
    close();
    throw deadline.reason() ?? explain(http, error, checked);
  } finally {
    deadline.end();
  }
}

function bodyOf({ body }: StreamRequest): Buffer | Readable | null {
  if (body === undefined) return null;
  return Buffer.isBuffer(body) ? body : body.stream;
}

/** A body that comes in pieces is announced by its length, as one that comes at once is. */
function lengthOf({ body }: StreamRequest): string[] {
  return body === undefined || Buffer.isBuffer(body) ? [] : ['content-length', String(body.length)];
}
