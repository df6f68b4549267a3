import { MASK, type Span } from './mask.js';
import { findSecrets } from './secrets.js';

/** A text without its credentials, and how many were taken out. */
export interface Redacted {
  readonly text: string;
  readonly count: number;
}

/**
 * Replaces what looks like a credential with `[REDACTED]`: values of fields and headers whose names say so,
 * Bearer and Basic credentials, known token shapes, private keys, user information in URLs. Time is linear in
 * the text, whatever it holds. It recognises shapes: a secret without a telling name or shape passes.
 * Interface Pack §4.1, §6.4.
 */
export function redact(text: string): Redacted {
  const spans = findSecrets(text, { cut: false });
  return { text: mask(text, spans, text.length), count: spans.length };
}

/**
 * The first `limit` characters of `text` with every span masked; a span that crosses `limit` is masked whole.
 */
export function mask(text: string, spans: readonly Span[], limit: number): string {
  let result = '';
  let at = 0;
  for (const { start, end } of spans) {
    if (start >= limit) break;
    result += text.slice(at, start) + MASK;
    at = end;
  }
  return result + text.slice(at, limit);
}
