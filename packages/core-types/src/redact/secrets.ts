import { findCommands } from './commands.js';
import { findEncoded } from './encoded.js';
import { findFields } from './fields.js';
import { findFlags } from './flags.js';
import type { Span } from './mask.js';
import { findPairs } from './pairs.js';
import { findPrivateKeys } from './private-keys.js';
import { findSchemes } from './schemes.js';
import { findTokens } from './tokens.js';
import { findUserInfo, findWebhooks } from './urls.js';

/**
 * Where the credentials of a text stand: in order, not overlapping. `cut` tells that the text goes on beyond
 * its end, so that a shape which reaches the end counts as complete.
 */
export function findSecrets(text: string, { cut }: { readonly cut: boolean }): Span[] {
  const spans: Span[] = [];
  add(spans, findPrivateKeys(text));
  add(spans, findFields(text));
  add(spans, findFlags(text));
  add(spans, findPairs(text));
  add(spans, findEncoded(text));
  add(spans, findCommands(text));
  add(spans, findSchemes(text));
  add(spans, findTokens(text, cut));
  add(spans, findUserInfo(text, cut));
  add(spans, findWebhooks(text));
  return spans.length < 2 ? spans : merge(spans);
}

function add(spans: Span[], found: readonly Span[]): void {
  for (const span of found) spans.push(span);
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
