import { readHost } from '@subluminal/core-types';
import type { IncomingMessage } from 'node:http';
import { type BodyLength, bodyLengthOf, type Field, MalformedHead, valuesOf } from '../client/head-reader.js';
import { endToEnd, wantsWebSocket } from '../client/hop-by-hop.js';
import { RefusedExchange } from './refused-exchange.js';
import type { SecretTexts } from './secret-texts.js';
import { isTold } from './told-fields.js';

/** What the connection was decided for. */
export interface DecidedPlace {
  /** Canonical. */
  readonly host: string;
  readonly port: number;
}

/** A request as it is made in the client's place. */
export interface MadeRequest {
  readonly method: string;
  readonly path: string;
  readonly fields: readonly Field[];
  /** Its head announces one: nothing else that came behind it goes on. */
  readonly hasBody: boolean;
  /** The variables whose secrets were put in. */
  readonly injected: readonly string[];
  /** It asks to go on with WebSocket. */
  readonly upgrades: boolean;
}

/** Methods that would show a head to who asks, or lead elsewhere. */
const NEVER: ReadonlySet<string> = new Set(['TRACE', 'TRACK', 'CONNECT']);
/** A server that does not read a body takes it for the next request. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/**
 * Made anew, of no meaning behind us, or cutting an answer into parts in which no secret would be known (RFC
 * 9110 §14: any server may leave it out).
 */
const OWN: ReadonlySet<string> = new Set([
  'range',
  'if-range',
  'host',
  'expect',
  'accept-encoding',
  'transfer-encoding',
  'content-length',
  'sec-websocket-extensions',
]);
const PATH = /^\/[\x21-\x7e\x80-\xff]*$/;
const AUTHORITY = /^([^[\]:@/?#\\\s]+)(?::([0-9]{1,5}))?$/;

/**
 * Judges a request on an inspected connection, as Node's own parser has read it, and makes it anew: for the
 * host that was decided on, with the secrets in its fields. Throws `RefusedExchange`, and `RangeError` as
 * `SecretTexts`.
 */
export function judgeRequest(
  message: IncomingMessage,
  place: DecidedPlace,
  secrets: SecretTexts,
): MadeRequest {
  const { method = '', url = '' } = message;
  const fields = fieldsOf(message.rawHeaders);
  if (NEVER.has(method))
    throw new RefusedExchange(405, 'invalid_request', `\`${method}\` is not carried here`);
  if (!PATH.test(url) && !(method === 'OPTIONS' && url === '*'))
    throw new RefusedExchange(400, 'invalid_request', 'the target of the request is no path');
  assertHost(fields, place);
  if (secrets.isIn(url)) {
    throw new RefusedExchange(
      403,
      'secret_refused',
      'the path or query holds a placeholder: a secret is put into header fields only',
    );
  }
  const body = bodyOf(fields, method);
  const upgrades = wantsWebSocket(fields);
  if (!upgrades && valuesOf(fields, 'upgrade').length > 0)
    throw new RefusedExchange(400, 'invalid_request', 'of upgrades only WebSocket is carried');
  // What stood behind the head would be the first of WebSocket for one side, and a body for the other.
  if (upgrades && method !== 'GET')
    throw new RefusedExchange(400, 'invalid_request', 'WebSocket begins with a `GET`');
  const injected = new Set<string>();
  const passed = endToEnd(fields)
    .filter(([name]) => !OWN.has(name.toLowerCase()))
    .map(([name, value]): Field => {
      if (isTold(name)) return [name, value];
      const put = secrets.putInto(value);
      for (const one of put.injected) injected.add(one);
      return [name, put.value];
    });
  const connection: readonly Field[] = upgrades
    ? [
        ['Connection', 'Upgrade'],
        ['Upgrade', 'websocket'],
      ]
    : [['Connection', 'keep-alive']];
  return {
    method,
    path: url,
    // What comes back has to be readable, so that no secret comes with it.
    fields: [
      ['Host', authorityOf(place)],
      ...passed,
      ['Accept-Encoding', 'identity'],
      ...body,
      ...connection,
    ],
    hasBody: !upgrades && body.some(([, value]) => value !== '0'),
    injected: [...injected],
    upgrades,
  };
}

/** The fields of a message, from the list that Node gives. */
export function fieldsOf(raw: readonly string[]): Field[] {
  const fields: Field[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) fields.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return fields;
}

function assertHost(fields: readonly Field[], { host, port }: DecidedPlace): void {
  const hosts = valuesOf(fields, 'host');
  if (hosts.length !== 1)
    throw new RefusedExchange(400, 'invalid_request', 'the request has not exactly one `Host`');
  const [, name = '', named = '443'] = AUTHORITY.exec(hosts[0] ?? '') ?? [];
  const reading = readHost(name);
  // Programs leave out the port of the scheme only.
  if (reading.ok && reading.kind === 'name' && reading.host === host && Number(named) === port) return;
  throw new RefusedExchange(
    421,
    'name_mismatch',
    `the connection is for \`${host}:${port}\`, and the request names another host`,
  );
}

function bodyOf(fields: readonly Field[], method: string): readonly Field[] {
  const length = lengthOf(fields);
  if (length === 'chunked' || (length !== 'none' && length > 0)) {
    if (BODILESS.has(method))
      throw new RefusedExchange(400, 'invalid_request', `a \`${method}\` has no body`);
  }
  if (length === 'chunked') return [['Transfer-Encoding', 'chunked']];
  if (length === 'none' && BODILESS.has(method)) return [];
  return [['Content-Length', length === 'none' ? '0' : String(length)]];
}

function lengthOf(fields: readonly Field[]): BodyLength {
  try {
    return bodyLengthOf(fields);
  } catch (error) {
    if (!(error instanceof MalformedHead)) throw error;
    throw new RefusedExchange(400, 'invalid_request', error.message);
  }
}

function authorityOf({ host, port }: DecidedPlace): string {
  return port === 443 ? host : `${host}:${port}`;
}
