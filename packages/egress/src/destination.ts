import { hostInUrl, readHost, SublError } from '@subluminal/core-types';

/** The protocol of a destination. `tcp` is any protocol but the others. */
export type EgressProtocol = 'http' | 'https' | 'tcp' | 'imap' | 'imaps' | 'smtp' | 'smtps';

/** Where a request goes. Two endpoints that reach the same place have the same destination. */
export interface Destination {
  readonly protocol: EgressProtocol;
  /** Canonical: lower case, punycode, no trailing dot; an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  /** `protocol://host` and, unless it is the protocol's own, `:port`. */
  readonly origin: string;
  /** The protocol inside of `protocol`: an entry of the allowlist for that covers it as well. */
  readonly inside?: 'caldav';
}

/** A destination together with the request target that stands behind it: path and query, never a fragment. */
export interface Endpoint {
  readonly destination: Destination;
  readonly target: string;
}

/** The longest endpoint that is read, in UTF-16 units. */
export const MAX_ENDPOINT = 8192;

const AUTHORITY = /^(https?):\/\/([^/?#]+)/i;
const DEFAULT_PORT = {
  http: 80,
  https: 443,
  tcp: undefined,
  imap: 143,
  imaps: 993,
  smtp: 587,
  smtps: 465,
} as const satisfies Record<EgressProtocol, number | undefined>;

/**
 * Reads an absolute http or https URL. Parsers disagree about what is refused here: user information, control
 * characters, spaces, backslashes, missing slashes, port 0. Numeric spellings of an address become the
 * address. Throws `invalid_request`; the message never repeats the endpoint, which may hold secrets.
 */
export function parseEndpoint(endpoint: string): Endpoint {
  if (endpoint.length > MAX_ENDPOINT) throw invalid(`is longer than ${MAX_ENDPOINT} characters`);
  if (/[\p{Cc} \\]/u.test(endpoint)) throw invalid('has a space, a control character or a backslash');
  const authority = AUTHORITY.exec(endpoint)?.[2];
  if (authority === undefined) throw invalid('is not an absolute http or https URL');
  if (authority.includes('@'))
    throw invalid('carries a user name or a password', 'send it as a header instead');
  if (!URL.canParse(endpoint)) throw invalid('is not a URL');
  const url = new URL(endpoint);
  const protocol = url.protocol === 'https:' ? 'https' : 'http';
  const reading = readHost(url.hostname);
  if (!reading.ok) throw invalid(`has no usable host: ${reading.why}`);
  const port = url.port === '' ? DEFAULT_PORT[protocol] : Number(url.port);
  if (port === 0) throw invalid('has port 0');
  return {
    destination: destinationOf(protocol, reading.host, port),
    target: `${url.pathname}${url.search}`,
  };
}

/** The destination of `parseEndpoint`, with its errors. */
export function parseDestination(endpoint: string): Destination {
  return parseEndpoint(endpoint).destination;
}

/**
 * The destination of a host as somebody typed it, in any spelling that `readHost` knows, and a port. Throws
 * `invalid_request` for what is no host or no port.
 */
export function destinationFor(protocol: EgressProtocol, hostText: string, port: number): Destination {
  const reading = readHost(hostText);
  if (!reading.ok) {
    throw new SublError('invalid_request', `the host cannot be used: ${reading.why}`, {
      help: 'name the host exactly, for example `api.example.com`',
    });
  }
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new SublError('invalid_request', `\`${port}\` is not a port`, {
      help: 'use a number from 1 to 65535',
    });
  }
  return destinationOf(protocol, reading.host, port);
}

function destinationOf(protocol: EgressProtocol, host: string, port: number): Destination {
  const suffix = port === DEFAULT_PORT[protocol] ? '' : `:${port}`;
  return { protocol, host, port, origin: `${protocol}://${hostInUrl(host)}${suffix}` };
}

function invalid(what: string, help = 'write it as `https://HOST/PATH`'): SublError {
  return new SublError('invalid_request', `\`endpoint\` ${what}`, { help });
}
