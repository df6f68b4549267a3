import type { Cursor } from './cursor.js';

/** A string of any of the four kinds at the cursor, with what it means. */
export function readString(cursor: Cursor): string {
  if (cursor.takes('"""')) return readMany(cursor, '"""');
  if (cursor.takes("'''")) return readMany(cursor, "'''");
  if (cursor.takes('"')) return readOne(cursor, '"');
  cursor.needs("'");
  return readOne(cursor, "'");
}

/** A string that stays on its line. */
function readOne(cursor: Cursor, quote: '"' | "'"): string {
  let text = '';
  const plain = quote === '"' ? /[^"\\\r\n]*/y : /[^'\r\n]*/y;
  for (;;) {
    text += cursor.passes(plain);
    if (cursor.takes(quote)) return text;
    if (!cursor.sees('\\')) cursor.fail('a string does not end on its line');
    text += readEscape(cursor);
  }
}

/** A string over several lines; a newline right behind its opening quotes is not part of it. */
function readMany(cursor: Cursor, quotes: '"""' | "'''"): string {
  const [quote] = quotes;
  const plain = quotes === '"""' ? /[^"\\]*/y : /[^']*/y;
  let text = '';
  cursor.passes(/\r?\n/y);
  for (;;) {
    text += cursor.passes(plain);
    if (cursor.atEnd) cursor.fail('a string does not end');
    if (cursor.sees('\\')) {
      text += cursor.passes(/\\[ \t]*\r?\n[ \t\r\n]*/y) === '' ? readEscape(cursor) : '';
    } else if (cursor.takes(quotes)) {
      // Up to two quotes may stand before the three that close it.
      return text + cursor.passes(quotes === '"""' ? /"{0,2}/y : /'{0,2}/y);
    } else {
      cursor.needs(quote ?? '');
      text += quote;
    }
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\u001B',
  '"': '"',
  '\\': '\\',
};

function readEscape(cursor: Cursor): string {
  const escape = cursor.passes(/\\(?:[btnfre"\\]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})/y);
  const simple = ESCAPES[escape.slice(1)];
  if (simple !== undefined) return simple;
  const code = escape === '' ? Number.NaN : Number.parseInt(escape.slice(2), 16);
  if (!(code <= 0x10_ff_ff)) cursor.fail('an escape is none of TOML');
  return String.fromCodePoint(code);
}

/** A text as a basic string that stays on its line. */
export function quoted(text: string): string {
  // What JSON escapes means the same in TOML, which escapes the delete character as well.
  return JSON.stringify(text).replaceAll('\u007F', '\\u007f');
}

/** A text as one part of a key: bare where it can be. */
export function keyText(text: string): string {
  return /^[A-Za-z0-9_-]+$/.test(text) ? text : quoted(text);
}
