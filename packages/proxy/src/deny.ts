import type { ErrorCode } from '@subluminal/core-types';
import type { Denial } from './denial.js';
import type { Field } from './client/head-reader.js';
import { encodeHead } from './client/hop-by-hop.js';
import { SOCKS_REPLY, socksReply } from './client/socks5.js';

/** How each reason is said in HTTP, in RFC 9209, and in SOCKS5. */
interface Wording {
  readonly status: number;
  readonly error: string;
  readonly socks: number;
}

const REFUSED: Wording = { status: 403, error: 'http_request_denied', socks: SOCKS_REPLY.notAllowed };
const ADDRESS: Wording = { ...REFUSED, error: 'destination_ip_prohibited' };
const BUSY: Wording = { status: 429, error: 'http_request_denied', socks: SOCKS_REPLY.notAllowed };
const LATER: Wording = { status: 503, error: 'proxy_internal_error', socks: SOCKS_REPLY.failure };

const WORDINGS: Readonly<Partial<Record<ErrorCode, Wording>>> = {
  address_refused: ADDRESS,
  invalid_request: { status: 400, error: 'http_request_error', socks: SOCKS_REPLY.notAllowed },
  rate_limited: BUSY,
  budget_spent: BUSY,
  overloaded: { ...BUSY, error: 'connection_limit_reached' },
  resolve_failed: { status: 502, error: 'dns_error', socks: SOCKS_REPLY.hostUnreachable },
  adapter_failed: { status: 502, error: 'destination_unavailable', socks: SOCKS_REPLY.connectionRefused },
  timed_out: { status: 504, error: 'connection_timeout', socks: SOCKS_REPLY.ttlExpired },
  audit_unavailable: LATER,
  gateway_unreachable: LATER,
  // The run lives, else its token would have been refused: the gateway's socket was too busy.
  handshake_refused: LATER,
  shutting_down: LATER,
  failed: { ...LATER, status: 502 },
};

function wordingOf(code: ErrorCode): Wording {
  return WORDINGS[code] ?? REFUSED;
}

/** A refusal as an answer of HTTP: a code for programs (RFC 9209, RFC 9457) and a line for people. */
export interface Problem {
  readonly status: number;
  /** All but those about the connection. */
  readonly fields: readonly Field[];
  readonly body: Buffer;
}

/** `status` where another one says more. */
export function problemOf(denial: Denial, status = wordingOf(denial.code).status): Problem {
  const { code, message, auditRef, retryAfter } = denial;
  const { error } = wordingOf(code);
  const body = Buffer.from(
    `${JSON.stringify({
      type: 'about:blank',
      title: 'refused by subluminal',
      status,
      detail: message,
      code,
      ...(auditRef === undefined ? {} : { audit_ref: auditRef }),
    })}\n`,
  );
  const fields: readonly Field[] = [
    ['Content-Type', 'application/problem+json'],
    ['Content-Length', String(body.length)],
    ['Proxy-Status', `subluminal; error=${error}; details="${code}"`],
    ['Cache-Control', 'no-store'],
    ...(retryAfter === undefined ? [] : [['Retry-After', String(retryAfter)] as const]),
  ];
  return { status, fields, body };
}

/** The answer of HTTP to whoever asks the proxy. `status` where another one says more. */
export function denyHttp(denial: Denial, asked?: number): Buffer {
  const { status, fields, body } = problemOf(denial, asked);
  const more: readonly Field[] = [
    ...(status === 407 ? [['Proxy-Authenticate', 'Basic realm="subluminal"'] as const] : []),
    ['Connection', 'close'],
  ];
  return Buffer.concat([encodeHead(`HTTP/1.1 ${status} ${denial.code}`, [...fields, ...more]), body]);
}

/** The answer of SOCKS5, which has no words. */
export function denySocks({ code }: Denial): Buffer {
  return socksReply(wordingOf(code).socks);
}

/**
 * A fatal alert of TLS in the clear, `unrecognized_name` (RFC 6066 §3): what a client of TLS can still read.
 */
export const TLS_ALERT = Buffer.from([21, 3, 3, 0, 2, 2, 112]);
