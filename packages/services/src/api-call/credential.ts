import { SublError } from '@subluminal/core-types';
import type { Account } from '../accounts/account.js';
import { isForCallers } from './request-headers.js';
import { type HttpRequest, parseDestination } from '@subluminal/egress';

/** Where a request goes, as it will be sent. */
export interface Place {
  readonly origin: string;
  /** Path and query, as the parser of the URL wrote them: this text is what is compared, and what is sent. */
  readonly target: string;
  readonly method: HttpRequest['method'];
}

/**
 * Sequences that a server may read as another path than this one: an encoded slash, dot or percent, an empty
 * segment, a parameter of a segment, an encoded control character.
 */
const AMBIGUOUS = /\/\/|;|\\|%(?:2[ef5]|3b|5c|[01][0-9a-f]|7f)/i;

/** Headers that have some servers take another method, or another path, than that of the request. */
const METHOD_HEADERS = ['x-http-method-override', 'x-http-method', 'x-method-override'];
const PATH_HEADERS = ['x-original-url', 'x-rewrite-url'];

/**
 * The account whose credential a request gets: of the dialled origin and that method, with the longest prefix
 * that the path is below. The `service` of the payload plays no part. A path that can be read in two ways is
 * below no prefix but `/`.
 */
export function accountFor(
  accounts: readonly Account<'api'>[],
  { origin, target, method }: Place,
): Account<'api'> | undefined {
  const path = target.replace(/\?.*$/s, '');
  return accounts
    .filter(({ settings }) => {
      if (parseDestination(settings.origin).origin !== origin) return false;
      return settings.methods?.includes(method as 'GET') !== false && isBelow(path, settings.prefix);
    })
    .toSorted((one, other) => other.settings.prefix.length - one.settings.prefix.length)[0];
}

function isBelow(path: string, prefix: string): boolean {
  if (prefix === '/') return true;
  // A prefix that no parser leaves as it is would never be what is sent.
  if (isAmbiguous(path) || isAmbiguous(prefix) || new URL(prefix, 'https://x.test').pathname !== prefix)
    return false;
  return prefix.endsWith('/') ? path.startsWith(prefix) : path === prefix || path.startsWith(`${prefix}/`);
}

/** Some servers read bytes that are no UTF-8 as a dot or a slash, and a lone percent sign as anything. */
function isAmbiguous(path: string): boolean {
  if (AMBIGUOUS.test(path)) return true;
  try {
    decodeURIComponent(path);
    return false;
  } catch {
    return true;
  }
}

/**
 * Refuses headers of a caller that an account does not leave to callers: its own header, and those that lead
 * a server past the account's paths and methods or make it answer in pieces.
 *
 * @throws SublError `invalid_request`.
 */
export function assertFree(
  account: Account<'api'>,
  headers: Readonly<Record<string, string>> | undefined,
): void {
  const own = account.settings.header.toLowerCase();
  const names = Object.keys(headers ?? {}).map((name) => name.toLowerCase());
  if (names.includes(own))
    throw new SublError('invalid_request', `the header \`${own}\` is set by the gateway for this address`, {
      help: 'leave it out',
    });
  const { methods, prefix } = account.settings;
  const unwanted = [
    ...(methods === undefined ? [] : METHOD_HEADERS),
    ...(prefix === '/' ? [] : PATH_HEADERS),
    'range',
  ];
  const led = names.find((name) => unwanted.includes(name));
  if (led !== undefined)
    throw new SublError('invalid_request', `a request with a credential cannot have the header \`${led}\``, {
      help: 'leave it out',
    });
  // An encoded answer cannot be looked through for the credential.
  const given = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'accept-encoding')?.[1];
  if (given !== undefined && given.trim().toLowerCase() !== 'identity')
    throw new SublError('invalid_request', 'an answer to a request with a credential cannot be compressed', {
      help: 'leave `accept-encoding` out',
    });
}

/**
 * The header with the account's credential.
 *
 * @throws SublError `adapter_failed` for a value that no header can have, and a header that carries no
 * credential; the message never holds the value.
 */
export function credentialHeader(
  { name, settings }: Account<'api'>,
  secret: string,
): readonly [string, string] {
  const header = settings.header.toLowerCase();
  const value = {
    bearer: () => `Bearer ${secret}`,
    basic: () => `Basic ${Buffer.from(secret, 'utf8').toString('base64')}`,
    raw: () => secret,
  }[settings.scheme]();
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) || !isForCallers(header))
    throw new SublError(
      'adapter_failed',
      `the credential of \`${name}\` cannot be sent as the header \`${header}\``,
      {
        help: 'remove the account and add it again',
      },
    );
  return [header, value];
}
