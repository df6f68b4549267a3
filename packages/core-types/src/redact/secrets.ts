import type { Span } from './mask.js';
import { findTokens } from './tokens.js';

/** Where the credentials of a text stand: in order, not overlapping. */
export function findSecrets(text: string, { cut }: { readonly cut: boolean }): Span[] {
  return merge(findTokens(text, cut));
}

function merge(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { start: last.start, end: span.end };
  }
  return merged;
}
