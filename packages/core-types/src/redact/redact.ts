import { type FindValues, joined, type MarkedSpan, MASK, NO_VALUES, type Span } from './mask.js';
import { findSecrets } from './secrets.js';

/** A text without its credentials, and how many were taken out. */
export interface Redacted {
  readonly text: string;
  readonly count: number;
}

/**
 * Replaces what looks like a credential with `[REDACTED]`: values of fields and headers whose names say so,
 * Bearer and Basic credentials, known token shapes, private keys, user information in URLs. Time is linear in
 * the text, whatever it holds. It recognises shapes: a secret without a telling name or shape passes, unless
 * it is one of `values`, which are looked for in the text as it came.
 */
export function redact(text: string, values: FindValues = NO_VALUES): Redacted {
  const spans = findSecrets(text, { cut: false });
  return { text: mask(text, joined(spans, values(text, false)), text.length), count: spans.length };
}

/** The text without the values, though it be cut within one. */
export function withoutValues(text: string, values: FindValues): string {
  return mask(text, values(text, true), text.length);
}

/**
 * The first `limit` characters of `text` with every span masked; a span that crosses `limit` is masked whole.
 */
export function mask(text: string, spans: readonly (Span | MarkedSpan)[], limit: number): string {
  let result = '';
  let at = 0;
  for (const span of spans) {
    if (span.start >= limit) break;
    result += text.slice(at, span.start) + ('mark' in span ? span.mark : MASK);
    at = span.end;
  }
  return result + text.slice(at, limit);
}
