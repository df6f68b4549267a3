import { SublError } from '@subluminal/core-types';

const MAX_HEADERS = 64;
const MAX_HEADER_BYTES = 16_384;

/** RFC 9110 §5.6.2 `token`. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 9110 §5.5, without obsolete bytes over 0x7E, which have no agreed meaning. */
const FIELD_VALUE = /^[\t\x20-\x7e]*$/;

/** They decide where a message goes and where it ends: the gateway's business alone. */
const NOT_FOR_CALLERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Tells whether a header, in lower case, is anyone's but the gateway's to set. */
export function isForCallers(lower: string): boolean {
  return !NOT_FOR_CALLERS.has(lower) && !lower.startsWith('proxy-');
}

/**
 * The headers of a request as they are sent: names in lower case, what the caller set, and the defaults.
 * Answers are asked for without a content coding, since none is undone. Throws `invalid_request` for a header
 * that a caller may not set, a name or value that could end the field early, a name given twice, or too many;
 * the message names the header, never its value.
 */
export function requestHeaders(
  given: Readonly<Record<string, string>> | undefined,
  defaults: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers = new Map(
    Object.entries({ 'accept-encoding': 'identity', 'user-agent': 'subluminal', ...defaults }),
  );
  const seen = new Set<string>();
  let bytes = 0;
  for (const [name, value] of Object.entries(given ?? {})) {
    const lower = name.toLowerCase();
    if (!TOKEN.test(name)) throw refused(name, 'is not a header name');
    if (!isForCallers(lower)) throw refused(name, 'is set by the gateway alone');
    if (seen.has(lower)) throw refused(name, 'is given twice');
    if (!FIELD_VALUE.test(value))
      throw refused(name, 'has a value with a character that a header cannot have');
    seen.add(lower);
    bytes += name.length + value.length;
    headers.set(lower, value);
  }
  if (seen.size > MAX_HEADERS || bytes > MAX_HEADER_BYTES) {
    throw new SublError(
      'invalid_request',
      `more headers than ${MAX_HEADERS}, or more than ${MAX_HEADER_BYTES} bytes of them`,
    );
  }
  return Object.fromEntries(headers);
}

function refused(name: string, why: string): SublError {
  const shown = JSON.stringify(name.slice(0, 64)).slice(1, -1);
  return new SublError('invalid_request', `the header \`${shown}\` ${why}`);
}
