import type { ServerResponse } from 'node:http';
import type { UiRefusal } from './refusal.js';

/** Nothing but the page's own files runs, nobody frames it, and no text becomes code. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types subl',
].join('; ');

/** On every answer, refusals among them. */
const HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const;

export const JSON_TYPE = 'application/json';

/** Sends a whole answer. */
export function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: Uint8Array | string,
  more: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  response.writeHead(status, {
    ...HEADERS,
    'content-type': type,
    'content-length': bytes.byteLength,
    ...more,
  });
  response.end(bytes);
}

/** Sends a refusal, and lets the connection go: what follows on it was not read. */
export function sendRefusal(response: ServerResponse, { body, status }: UiRefusal): void {
  send(response, status, JSON_TYPE, JSON.stringify(body), { connection: 'close' });
}
