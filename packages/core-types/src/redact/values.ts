import { openQuote, quotedEnd } from './quotes.js';
import type { Span } from './mask.js';

const NOT_SECRET: readonly string[] = ['null', 'true', 'false', 'undefined', 'none', 'None'];
const STRING_PREFIX = /^[bfruBFRU]{1,2}$/;
const JSON_GOES_ON = /[ \t\r\n]{0,8}(?:[}\])]|,[ \t\r\n]{0,8}["{[]|$)/y;
const BLOCK_INDICATOR = /[|>][+-]?[0-9]?[ \t]{0,8}\r?\n/y;

/** How an unquoted value ends: at a space (`key=value`), or with its line (`key: a value`). */
export type BareStyle = 'word' | 'line';

/**
 * The value that starts at `at`: quoted, a list or object, an indented block, or bare. Undefined when there
 * is none.
 */
export function valueSpan(text: string, at: number, style: BareStyle): Span | undefined {
  const quote = openQuote(text, at);
  if (quote !== undefined) return nonEmpty(quote.inside, quotedEnd(text, quote));
  const first = text.charAt(at);
  if (first === '[' || first === '{') return { start: at, end: bracketEnd(text, at) };
  if (style === 'line' && matchesAt(BLOCK_INDICATOR, text, at)) return { start: at, end: blockEnd(text, at) };
  const end = bareEnd(text, at, style);
  const bare = text.slice(at, Math.min(end, at + 16));
  if (NOT_SECRET.includes(bare)) return undefined;
  const inner = STRING_PREFIX.test(bare) ? openQuote(text, end) : undefined;
  return nonEmpty(at, inner === undefined ? end : quotedEnd(text, inner));
}

/**
 * The value of a header: the rest of its line. `opening` is the quote right before the header's name, which
 * ends it too (`-H "Cookie: a=b"`). Inside a JSON string the line ends at `\n`, `\r`, or where the JSON goes
 * on after a quote.
 */
export function headerSpan(text: string, at: number, opening: string | undefined): Span | undefined {
  let end = at;
  while (end < text.length) {
    const character = text.charAt(end);
    if (character === '\n' || character === '\r' || isEscapedLineEnd(text, end)) break;
    if (character === opening) break;
    if (character === '"' && matchesAt(JSON_GOES_ON, text, end + 1)) break;
    end += 1;
  }
  while (end > at && text.charAt(end - 1) === '\\') end -= 1;
  return nonEmpty(at, end);
}

function bareEnd(text: string, at: number, style: BareStyle): number {
  let end = at;
  while (end < text.length && !endsBare(text, end, style)) end += 1;
  if (style === 'line') while (end > at && isBlank(text.charAt(end - 1))) end -= 1;
  return end;
}

function endsBare(text: string, at: number, style: BareStyle): boolean {
  const character = text.charAt(at);
  if ('\n\r"\'`<>)}]'.includes(character)) return true;
  if (character === '\\') return '\\"\'nrt'.includes(text.charAt(at + 1));
  if (character === ',') return ' \t\r\n"\''.includes(text.charAt(at + 1));
  return style === 'word' && (isBlank(character) || character === '&' || character === ';');
}

/** The index after the bracket that closes the one at `at`, or the text's length. Quotes hide brackets. */
function bracketEnd(text: string, at: number): number {
  let depth = 0;
  let index = at;
  while (index < text.length) {
    const character = text.charAt(index);
    if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') {
      depth -= 1;
      if (depth === 0) return index + 1;
    } else if (character === '"' || character === '\\') {
      const quote = openQuote(text, index);
      if (quote?.character === '"') index = quotedEnd(text, quote) + quote.escapes;
      // A run of backslashes that opens no quote is passed at once, so that it is read once.
      else index = lastBackslash(text, index);
    }
    index += 1;
  }
  return text.length;
}

/** The last of the backslashes that begin at `at`; `at` where there are none. */
function lastBackslash(text: string, at: number): number {
  let end = at;
  while (text.charAt(end + 1) === '\\' && text.charAt(end) === '\\') end += 1;
  return end;
}

/** A YAML block scalar: its lines are indented or empty. */
function blockEnd(text: string, at: number): number {
  let line = text.indexOf('\n', at) + 1;
  while (line > 0 && line < text.length && ' \t\r\n'.includes(text.charAt(line))) {
    line = text.indexOf('\n', line) + 1;
  }
  return line === 0 ? text.length : line - 1;
}

function isEscapedLineEnd(text: string, at: number): boolean {
  return text.charAt(at) === '\\' && 'nr'.includes(text.charAt(at + 1) || ' ');
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t';
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

function nonEmpty(start: number, end: number): Span | undefined {
  return end > start ? { start, end } : undefined;
}
