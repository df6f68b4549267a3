/**
 * The reading of a host text. `host` is the one spelling that everything else compares, stores and
 * dials.
 */
export type HostReading =
  | { readonly ok: true; readonly kind: 'name' | 'ipv4' | 'ipv6'; readonly host: string }
  | { readonly ok: false; readonly why: string };

const LABEL = /^[a-z0-9_-]{1,63}$/;
const MAX_NAME = 253;

/** Characters that end or split a host in some parser; none of them is part of one. */
const NOT_IN_HOST = /[\p{Cc}\p{Z}/?#@\\*]/u;

/**
 * Reads the host of a URL or of an allowlist entry into its canonical form: lower case, punycode, no trailing
 * dot, IPv4 dotted decimal (so `0x7f.1` is `127.0.0.1`), IPv6 as RFC 5952 has it and without brackets.
 * Idempotent. The parser is the WHATWG one, so that what is compared here is what an HTTP client would have
 * understood.
 */
export function readHost(text: string): HostReading {
  if (text === '') return no('it is empty');
  if (text.length > 4 * MAX_NAME) return no('it is too long');
  if (text.includes('*')) return no('wildcards are not supported');
  if (NOT_IN_HOST.test(text)) return no('it has a character that no host has');
  const bracketed = text.startsWith('[');
  const isV6 = bracketed || text.split(':').length > 2;
  if (bracketed ? !text.endsWith(']') : !isV6 && text.includes(':')) return no('it has a port in it');
  const url = parseUrl(`http://${isV6 && !bracketed ? `[${text}]` : text}/`);
  if (url === undefined || url.pathname !== '/' || url.port !== '') return no('it is not a host name');
  const hostname = url.hostname;
  if (hostname.startsWith('[')) return { ok: true, kind: 'ipv6', host: hostname.slice(1, -1) };
  return readName(hostname.endsWith('.') ? hostname.slice(0, -1) : hostname);
}

function readName(name: string): HostReading {
  if (name.length > MAX_NAME) return no(`it is longer than ${MAX_NAME} characters`);
  const labels = name.split('.');
  for (const label of labels) {
    if (label === '') return no('it has an empty label');
    if (!LABEL.test(label) || label.startsWith('-') || label.endsWith('-')) {
      return no('it has a label that no host name has');
    }
  }
  // The URL parser turns every host whose last label is a number into an IPv4 address, or refuses it.
  const last = labels.at(-1) ?? '';
  const kind = /^[0-9]+$/.test(last) ? 'ipv4' : 'name';
  return { ok: true, kind, host: name };
}

/** A host as it stands in an authority: IPv6 in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function no(why: string): HostReading {
  return { ok: false, why };
}
