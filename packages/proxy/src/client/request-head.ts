import { readHost } from '@subluminal/core-types';
import {
  type BodyLength,
  bodyLengthOf,
  type Field,
  MalformedHead,
  parseFields,
  valuesOf,
} from './head-reader.js';
import { wantsWebSocket } from './hop-by-hop.js';

/** Where somebody wants to go, as it was written. `host` is not judged yet. */
export interface Authority {
  readonly host: string;
  readonly port: number;
}

interface AnyRequest extends Authority {
  readonly version: '1.0' | '1.1';
  readonly fields: readonly Field[];
}

/** `CONNECT host:port`: a connection that is carried as it is. */
export interface ConnectRequest extends AnyRequest {
  readonly kind: 'connect';
}

/** A request in absolute form (`GET http://host/path`), which the proxy makes in the client's place. */
export interface AbsoluteRequest extends AnyRequest {
  readonly kind: 'absolute';
  readonly method: string;
  /** Path and query, as they were written. */
  readonly target: string;
  readonly body: BodyLength;
  /** The client asks to go on with WebSocket. */
  readonly upgrades: boolean;
}

export type ProxyRequest = ConnectRequest | AbsoluteRequest;

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([\x21-\x7e]+) HTTP\/1\.([01])$/;
const ABSOLUTE = /^http:\/\/([^/?#]*)([^#]*)$/i;
/** No user name, no empty port, nothing that another parser would take for the end of a host. */
const WITH_PORT = /^(\[[0-9A-Fa-f:.]+\]|[^[\]:@/?#\\]+):([0-9]{1,5})$/;
const WITHOUT_PORT = /^(?:\[[0-9A-Fa-f:.]+\]|[^[\]:@/?#\\]+)$/;
/** Methods that have no body: a server that does not read one takes it for the next request. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'TRACE', 'CONNECT']);

/**
 * Reads the lines of a request to a proxy (RFC 9112 §3), as `HeadReader` gives them. Whatever two programs
 * could read in two ways is refused. Throws `MalformedHead`.
 */
export function parseRequestHead(lines: readonly string[]): ProxyRequest {
  const { method, target, body, ...head } = readHead(lines);
  const { version, fields } = head;
  if (method === 'CONNECT') {
    const authority = readAuthority(target, undefined);
    checkHost(head, authority, false);
    return { kind: 'connect', ...authority, ...head };
  }
  const [, where, path = ''] = ABSOLUTE.exec(target) ?? [];
  if (where === undefined) throw new MalformedHead(notAbsolute(target));
  const authority = readAuthority(where, 80);
  checkHost(head, authority, version === '1.1');
  if (path.includes('\\')) throw new MalformedHead('the target has a backslash');
  return {
    kind: 'absolute',
    ...authority,
    ...head,
    method,
    target: path.startsWith('/') ? path : `/${path}`,
    body,
    upgrades: wantsWebSocket(fields),
  };
}

/**
 * Reads the lines of a request that came through a tunnel to `authority`, without TLS, as it would be sent
 * there (RFC 9112 §3.2.1). As strict as `parseRequestHead`. Throws `MalformedHead`.
 */
export function parseTunnelledHead(lines: readonly string[], authority: Authority): AbsoluteRequest {
  const { method, target, body, ...head } = readHead(lines);
  if (method === 'CONNECT' || !target.startsWith('/') || target.includes('\\') || target.includes('#'))
    throw new MalformedHead('the target is no path on the server that the connection is for');
  checkHost(head, authority, true);
  const upgrades = wantsWebSocket(head.fields);
  return { kind: 'absolute', ...authority, ...head, method, target, body, upgrades };
}

/** What every request has. Throws `MalformedHead`. */
function readHead(
  lines: readonly string[],
): Pick<AbsoluteRequest, 'method' | 'target' | 'version' | 'fields' | 'body'> {
  const [, method, target, minor] = REQUEST_LINE.exec(lines[0] ?? '') ?? [];
  if (method === undefined || target === undefined)
    throw new MalformedHead('the first line is no request of HTTP/1.1');
  const version = minor === '0' ? '1.0' : '1.1';
  const fields = parseFields(lines.slice(1));
  const body = bodyLengthOf(fields);
  if (body === 'chunked' && version === '1.0') throw new MalformedHead('HTTP/1.0 has no `Transfer-Encoding`');
  if (BODILESS.has(method) && body !== 'none' && body !== 0)
    throw new MalformedHead(`a \`${method}\` has no body`);
  return { method, target, version, fields, body };
}

function notAbsolute(target: string): string {
  if (target.includes('#')) return 'the target has a fragment';
  if (/^https:/i.test(target)) return '`https` goes through `CONNECT`, where nobody on the way can read it';
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return 'the target is of a scheme that is not carried';
  return 'this is a proxy: the target is neither `http://…` nor that of a `CONNECT`';
}

function readAuthority(text: string, defaultPort: number | undefined): Authority {
  const [, host, port] = WITH_PORT.exec(text) ?? [];
  if (host !== undefined && port !== undefined) {
    const number = Number(port);
    if (number === 0 || number > 65_535) throw new MalformedHead('the target has a port that there is not');
    return { host, port: number };
  }
  if (defaultPort === undefined || !WITHOUT_PORT.test(text))
    throw new MalformedHead('the target does not name one host and port');
  return { host: text, port: defaultPort };
}

/** `Host` says the same as the target (RFC 9112 §3.2.2), and once. */
function checkHost(
  { fields }: Pick<AnyRequest, 'fields'>,
  { host, port }: Authority,
  isNeeded: boolean,
): void {
  const hosts = valuesOf(fields, 'host');
  if (hosts.length > 1) throw new MalformedHead('`Host` stands twice');
  const [named] = hosts;
  if (named === undefined) {
    if (isNeeded) throw new MalformedHead('there is no `Host`');
    return;
  }
  const other = readAuthority(named, port === 443 ? 443 : 80);
  const hasPort = WITH_PORT.test(named);
  // Programs leave out the port in the `Host` of a `CONNECT`.
  const samePort = isNeeded || hasPort ? other.port === port : true;
  if (!samePort || !sameHost(other.host, host))
    throw new MalformedHead('`Host` and the target name different servers');
}

function sameHost(one: string, other: string): boolean {
  if (one.toLowerCase() === other.toLowerCase()) return true;
  const [first, second] = [readHost(one), readHost(other)];
  return first.ok && second.ok && first.host === second.host;
}
