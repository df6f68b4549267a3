import { kindOfName } from './names.js';
import type { Span } from './mask.js';
import { isQuote, openQuote } from './quotes.js';
import { isSpace, isWord } from './runs.js';
import { headerSpan, valueSpan } from './values.js';

const COLON = 0x3a;
const EQUALS = 0x3d;
const GREATER = 0x3e;
/** How far a name is read back from its separator; what it is, the end of the name tells. */
const MAX_NAME = 64;
/** Spaces, brackets and quotes that may stand between a name and its separator. */
const MAX_GAP = 16;

interface Name {
  readonly text: string;
  /** The quote right before a name that no quote closes: `"Cookie: a=b"`. */
  readonly opening: string | undefined;
}

/**
 * Values of fields with a telling name: `key=value`, `key: value`, JSON and JSON inside JSON strings,
 * headers, XML elements. Every separator looks back a bounded way, and every value is read once.
 */
export function findFields(text: string): Span[] {
  const spans: Span[] = [];
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    const span = code === COLON || code === EQUALS || code === GREATER ? fieldAt(text, at) : undefined;
    if (span === undefined) at += 1;
    else {
      spans.push(span);
      at = span.end;
    }
  }
  return spans;
}

function fieldAt(text: string, separator: number): Span | undefined {
  const name = nameBefore(text, separator);
  const kind = kindOfName(name.text);
  if (kind === 'plain') return undefined;
  const value = valueStart(text, separator);
  if (value === undefined) return undefined;
  if (kind === 'header' && openQuote(text, value) === undefined && text.charAt(value) !== '[') {
    return headerSpan(text, value, name.opening);
  }
  return valueSpan(text, value, text.charAt(separator) === ':' ? 'line' : 'word');
}

function nameBefore(text: string, separator: number): Name {
  let end = separator;
  let closed = false;
  for (let gap = 0; gap < MAX_GAP && end > 0; gap += 1) {
    const character = text.charAt(end - 1);
    if (isQuote(character)) closed = true;
    else if (!' \t]\\?!'.includes(character)) break;
    end -= 1;
  }
  let start = end;
  while (start > 0 && end - start < MAX_NAME && isNamePart(text.charCodeAt(start - 1))) start -= 1;
  const before = text.charAt(start - 1);
  return { text: text.slice(start, end), opening: !closed && isQuote(before) ? before : undefined };
}

function isNamePart(code: number): boolean {
  return isWord(code) || code === 0x2e;
}

/** Skips the separator (`:`, `=`, `:=`, `==`, `=>`) and space. A value on a later line must be quoted. */
function valueStart(text: string, separator: number): number | undefined {
  let at = separator;
  while (at - separator < 3 && ':=>'.includes(text.charAt(at) || ' ')) at += 1;
  let line = false;
  while (at < text.length && (isSpace(text.charCodeAt(at)) || text.startsWith('\\t', at))) {
    line ||= text.charAt(at) === '\n';
    at += text.charAt(at) === '\\' ? 2 : 1;
  }
  return line && !isQuote(text.charAt(at)) ? undefined : at;
}
