import type { Span } from './mask.js';
import { kindOfName } from './names.js';
import { openQuote, quotedEnd } from './quotes.js';
import { valueSpan } from './values.js';

/**
 * `name`, `key`, … and their separator, in JSON (at any level of escapes) and in attributes of XML and HTML.
 */
const NAME_FIELD = /(?:name|key|header|field|param|parameter|type|id)\\{0,32}["']?[ \t]{0,8}[:=][ \t]{0,8}/gi;
const VALUE_FIELD =
  /[ \t\r\n,]{1,16}\\{0,32}["']?(?:value|val|content)\\{0,32}["']?[ \t]{0,8}[:=][ \t]{0,8}/iy;
const LIST_START = /\[[ \t\r\n]{0,16}(?=\\{0,32}["'])/g;
const LIST_GAP = /[ \t\r\n]{0,16},[ \t\r\n]{0,16}/y;
const LIST_END = /[ \t\r\n]{0,16}\]/y;
/** The body of a form's field follows its head after an empty line. */
const FORM_BODY = /\r?\n\r?\n([^\r\n]{1,4096})/y;
const MAX_NAME = 64;

/**
 * Secrets whose name is a value as well: `{"name":"X-Api-Key","value":"…"}`, `["X-Api-Key","…"]`,
 * `<add key="Password" value="…"/>`, a field of a multipart form.
 */
export function findPairs(text: string): Span[] {
  return [...eachMatch(NAME_FIELD, text, valueOfNamed), ...eachMatch(LIST_START, text, secondOfTwo)];
}

function eachMatch(
  pattern: RegExp,
  text: string,
  find: (text: string, at: number) => Span | undefined,
): Span[] {
  const spans: Span[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const span = find(text, pattern.lastIndex);
    if (span === undefined) continue;
    spans.push(span);
    pattern.lastIndex = Math.max(pattern.lastIndex, span.end);
  }
  return spans;
}

function valueOfNamed(text: string, at: number): Span | undefined {
  const after = afterSecretName(text, at);
  if (after === undefined) return undefined;
  VALUE_FIELD.lastIndex = after;
  if (VALUE_FIELD.test(text)) return valueSpan(text, VALUE_FIELD.lastIndex, 'word');
  FORM_BODY.lastIndex = after;
  const body = FORM_BODY.exec(text)?.[1];
  return body === undefined
    ? undefined
    : { start: FORM_BODY.lastIndex - body.length, end: FORM_BODY.lastIndex };
}

function secondOfTwo(text: string, at: number): Span | undefined {
  LIST_GAP.lastIndex = afterSecretName(text, at) ?? text.length;
  if (!LIST_GAP.test(text)) return undefined;
  const quote = openQuote(text, LIST_GAP.lastIndex);
  if (quote === undefined) return undefined;
  const end = quotedEnd(text, quote);
  LIST_END.lastIndex = end + quote.escapes + 1;
  return end > quote.inside && (end === text.length || LIST_END.test(text))
    ? { start: quote.inside, end }
    : undefined;
}

/** The index after the quoted text at `at`, where that is the name of a secret. */
function afterSecretName(text: string, at: number): number | undefined {
  const quote = openQuote(text, at);
  if (quote === undefined) return undefined;
  const { inside, escapes, character } = quote;
  const close = text.slice(inside, inside + MAX_NAME + escapes + 1).indexOf(character);
  if (close < escapes) return undefined;
  const name = text.slice(inside, inside + close - escapes);
  return /^[A-Za-z0-9_.-]+$/.test(name) && kindOfName(name) !== 'plain' ? inside + close + 1 : undefined;
}
