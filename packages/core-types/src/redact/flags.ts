import { kindOfName } from './names.js';
import type { Span } from './mask.js';
import { openQuote } from './quotes.js';
import { isSpace, isWord } from './runs.js';
import { valueSpan } from './values.js';

const DASH = 0x2d;
const MAX_NAME = 64;

/**
 * Values of command line flags: `--password hunter2`, and `"--password", "hunter2"` in a list of arguments.
 */
export function findFlags(text: string): Span[] {
  const spans: Span[] = [];
  let at = text.indexOf('--');
  while (at !== -1) {
    let start = at;
    while (text.charCodeAt(start) === DASH) start += 1;
    let end = start;
    while (end < text.length && isWord(text.charCodeAt(end))) end += 1;
    const span = end - start <= MAX_NAME ? flagValue(text, text.slice(start, end), end) : undefined;
    if (span !== undefined) spans.push(span);
    at = text.indexOf('--', span?.end ?? end);
  }
  return spans;
}

function flagValue(text: string, name: string, end: number): Span | undefined {
  if (kindOfName(name) === 'plain') return undefined;
  const closing = openQuote(text, end);
  if (closing === undefined) {
    const value = skipSpace(text, end);
    return value === end || text.charCodeAt(value) === DASH ? undefined : valueSpan(text, value, 'word');
  }
  const comma = skipSpace(text, closing.inside);
  if (text.charAt(comma) !== ',') return undefined;
  const value = skipSpace(text, comma + 1);
  return openQuote(text, value) === undefined ? undefined : valueSpan(text, value, 'word');
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}
