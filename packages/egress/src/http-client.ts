import { SublError } from '@subluminal/core-types';
import type { Socket } from 'node:net';
import type { Client, Dispatcher, errors } from 'undici';
import type { CheckedDestination } from './resolve.js';

/** Bytes of all the header fields of an answer, and of its trailers. */
const MAX_HEADER_BYTES = 32_768;
const MAX_HEADERS = 256;

/**
 * How long a connection waits for another request at most, and without a word of its server on how long that
 * waits.
 */
const IDLE = {
  keepAliveTimeout: 4000,
  keepAliveMaxTimeout: 30_000,
  keepAliveTimeoutThreshold: 1000,
} as const;

/** The parts of undici that are used. */
export interface HttpLibrary {
  readonly Client: typeof Client;
  readonly errors: typeof errors;
}

/**
 * undici, which is a quarter of what the gateway would load at its start, and which many a gateway never
 * needs. Load it before the connection is made: nobody looks after a socket meanwhile. Only the client and
 * what it asks with, one file after the other: the whole of it takes the event loop for three times as long.
 * Throws `adapter_failed`.
 */
export async function httpLibrary(): Promise<HttpLibrary> {
  try {
    // CommonJS files: bundled, each has this one export.
    const { default: errors } = await import('undici/lib/core/errors.js');
    const { default: dispatcher } = await import('undici/lib/dispatcher/dispatcher.js');
    const { default: request } = await import('undici/lib/api/api-request.js');
    const { default: client } = await import('undici/lib/dispatcher/client.js');
    // As its `index.js` does.
    Object.assign(dispatcher.prototype, { request });
    return { Client: client, errors };
  } catch (cause) {
    throw new SublError('adapter_failed', 'the HTTP client of the gateway could not be loaded', {
      cause,
      help: 'its files may have changed since it started: restart it',
    });
  }
}

/** A client that has this one connection and never another: a second one would send the request again. */
export function clientOn(http: HttpLibrary, connection: Socket, checked: CheckedDestination): Client {
  let isTaken = false;
  return new http.Client(checked.origin, {
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    ...IDLE,
    // The caller sets the limits on time: undici's own are per chunk, and would let a slow body go on for
    // ever.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_options, callback) => {
      // undici does not go on after a connector that calls back at once.
      queueMicrotask(() => {
        if (isTaken || connection.destroyed) callback(new ConnectionGone(checked), null);
        else callback(null, connection);
        isTaken = true;
      });
    },
  });
}

/** The connection ended before this client wanted to write to it. */
export class ConnectionGone extends SublError {
  constructor(checked: CheckedDestination) {
    super('adapter_failed', `\`${checked.origin}\` closed the connection before it answered`);
  }
}

/** The header fields of an answer, names in lower case. Throws `response_too_large`. */
export function readHeaders(
  headers: Dispatcher.ResponseData['headers'],
  checked: CheckedDestination,
): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, readonly string[]>();
  let count = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    const values = Array.isArray(value) ? value : [value];
    count += values.length;
    fields.set(name.toLowerCase(), values);
  }
  if (count > MAX_HEADERS) throw tooLarge(checked, `more than ${MAX_HEADERS} headers`);
  return fields;
}

/** The error for an answer that is larger than it may be. */
export function tooLarge(checked: CheckedDestination, what: string): SublError {
  return new SublError('response_too_large', `the answer of \`${checked.origin}\` has ${what}`);
}

/** A failure outside is one of these. Any other error is a bug and is passed on as it is. */
export function explain({ errors }: HttpLibrary, error: unknown, checked: CheckedDestination): unknown {
  if (error instanceof errors.HeadersOverflowError) {
    return tooLarge(checked, `more than ${MAX_HEADER_BYTES} bytes of headers`);
  }
  if (error instanceof errors.HTTPParserError) {
    return new SublError('adapter_failed', `\`${checked.origin}\` answered with something that is not HTTP`, {
      cause: error,
    });
  }
  if (error instanceof SublError || !(error instanceof Error) || !('code' in error)) return error;
  const failed = `the exchange with \`${checked.origin}\` failed (${String(error.code)})`;
  return new SublError('adapter_failed', failed, { cause: error });
}
