import type { IncomingMessage } from 'node:http';
import { isSublError } from '@subluminal/core-types';
import { parseEndpoint, type Endpoint } from '@subluminal/egress';
import { ForeignOrigin, HttpRefusal } from './refusal.js';

/** The headers by which revision 2026-07-28 says again what stands in the body. */
export interface McpHeaders {
  readonly protocolVersion: string | undefined;
  readonly method: string | undefined;
  readonly name: string | undefined;
  /** `Mcp-Param-*`, by the rest of the name in lower case. */
  readonly params: ReadonlyMap<string, string>;
}

/** What a client wants of which server, as its header says it. */
export interface Ask {
  readonly method: 'POST' | 'GET' | 'DELETE';
  /** The server's name, as the client's configuration calls it. */
  readonly serverName: string;
  readonly upstream: Endpoint;
  /** The upstream's URL as it stood in the header. */
  readonly upstreamUrl: string;
  readonly token: string;
  readonly sessionId: string | undefined;
  readonly mcp: McpHeaders;
  /** What is passed on to the server. */
  readonly forward: readonly (readonly [name: string, value: string])[];
}

const PATH = /^\/mcp\/([^/?#]{1,768})$/;
const MAX_NAME = 256;
const SESSION_ID = /^[\x21-\x7e]{1,1024}$/;
/** They belong to this connection, or are said anew. */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'origin',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** A second one could be read by another reader than the first. */
const ONCE: ReadonlySet<string> = new Set([
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'last-event-id',
  'origin',
  'transfer-encoding',
]);

/** Reads the header of a request. @throws HttpRefusal */
export function readAsk(request: IncomingMessage, port: number): Ask {
  const fields = fieldsOf(request);
  const one = (name: string): string | undefined => fields.find(([found]) => found === name)?.[1];
  checkPlace(one('host'), one('origin'), port);
  const [, encoded] = PATH.exec(request.url ?? '') ?? [];
  if (encoded === undefined) throw new HttpRefusal(404, 'there is nothing at this path');
  const { method } = request;
  if (method !== 'POST' && method !== 'GET' && method !== 'DELETE')
    throw new HttpRefusal(405, 'only POST, GET and DELETE are answered');
  // They repeat what stands in a body, against which they are judged: these have none.
  const repeats = fields.some(([name]) => /^mcp-(?:method$|name$|param-)/.test(name));
  if (repeats && method !== 'POST')
    throw new HttpRefusal(400, `a ${method} has no body that \`Mcp-\` headers could repeat`);
  const upstreamUrl = one('subluminal-upstream');
  if (upstreamUrl === undefined) throw new HttpRefusal(400, 'the header `Subluminal-Upstream` is missing');
  const sessionId = one('mcp-session-id');
  if (sessionId !== undefined && !SESSION_ID.test(sessionId))
    throw new HttpRefusal(400, 'the header `Mcp-Session-Id` has characters that it cannot have');
  return {
    method,
    serverName: serverNameOf(encoded),
    upstream: upstreamOf(upstreamUrl),
    upstreamUrl,
    // A client without the variable sends an empty header, or none.
    token: one('subluminal-run-token') || one('subluminal-token') || '',
    sessionId,
    mcp: {
      protocolVersion: one('mcp-protocol-version'),
      method: one('mcp-method'),
      name: one('mcp-name'),
      params: new Map(
        fields.flatMap(([name, value]) =>
          name.startsWith('mcp-param-') ? [[name.slice('mcp-param-'.length), value] as const] : [],
        ),
      ),
    },
    forward: forwarded(fields, one('connection')),
  };
}

/**
 * A client that reached this port by another name was led here by a name server (DNS rebinding), and one with
 * an origin is a page of a browser: neither is a client on this machine.
 */
function checkPlace(host: string | undefined, origin: string | undefined, port: number): void {
  const names = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (host === undefined || !names.includes(host.toLowerCase()))
    throw new ForeignOrigin('the header `Host` must name this machine and port');
  if (origin !== undefined && !names.some((name) => origin.toLowerCase() === `http://${name}`))
    throw new ForeignOrigin('pages of other origins are not answered');
}

function fieldsOf({ rawHeaders }: IncomingMessage): (readonly [string, string])[] {
  const fields: (readonly [string, string])[] = [];
  const seen = new Set<string>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    // What hands headers on as variables (CGI, WSGI) tells `_` and `-` not apart.
    const read = name.replaceAll('_', '-');
    const once = ONCE.has(read) || read.startsWith('mcp-') || read.startsWith('subluminal-');
    if (once && read !== name) throw new HttpRefusal(400, `a header is to be written \`${read}\``);
    if (once && seen.has(name)) throw new HttpRefusal(400, `the header \`${name}\` stands twice`);
    seen.add(name);
    fields.push([name, rawHeaders[at + 1] ?? '']);
  }
  return fields;
}

function forwarded(
  fields: readonly (readonly [string, string])[],
  connection: string | undefined,
): (readonly [string, string])[] {
  const named = new Set((connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  // They were judged, and would not be what the server gets.
  for (const name of named)
    if (ONCE.has(name) || name.startsWith('mcp-'))
      throw new HttpRefusal(400, `the header \`Connection\` must not name \`${name}\``);
  const kept = fields.filter(
    ([name]) =>
      !NOT_FORWARDED.has(name) &&
      !named.has(name) &&
      !name.startsWith('subluminal-') &&
      !name.startsWith('proxy-'),
  );
  // What the server says is read here: it must not be coded.
  return [...kept, ['accept-encoding', 'identity']];
}

function serverNameOf(encoded: string): string {
  let name: string;
  try {
    name = decodeURIComponent(encoded);
  } catch (error) {
    if (error instanceof URIError) throw new HttpRefusal(404, 'the name of the server cannot be read');
    throw error;
  }
  if (name.length > MAX_NAME || /\p{Cc}/u.test(name))
    throw new HttpRefusal(404, 'the name of the server is too long, or has a control character');
  return name;
}

function upstreamOf(url: string): Endpoint {
  try {
    return parseEndpoint(url);
  } catch (error) {
    if (!isSublError(error)) throw error;
    throw new HttpRefusal(400, error.message.replace('`endpoint`', 'the URL in `Subluminal-Upstream`'));
  }
}
