import { writeHidden } from '@subluminal/core-types';
import { beginningIn, columnsOf, endIn } from './columns.js';

const SHORT: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/**
 * Text of an agent or a server as it may stand on a terminal: every character that could act on it, or that
 * cannot be seen, is written as `\n`, `\x1b`, `\u202e` or `\u{e0041}`. Not reversible, since a backslash
 * stays one; `--json` is exact.
 */
export function escapeText(text: string): string {
  return writeHidden(text, (character) => SHORT.get(character) ?? notation(character.codePointAt(0) ?? 0));
}

/**
 * The same for JSON text: the characters are written as JSON escapes, so that the value stays what it was and
 * a terminal that shows the text is not driven by it.
 */
export function escapeJson(json: string): string {
  return writeHidden(json, (character) => {
    let escaped = '';
    for (let index = 0; index < character.length; index += 1) {
      escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
    }
    return escaped;
  });
}

/** Shortens escaped text to `width` columns, saying so with an ellipsis. */
export function clip(text: string, width: number): string {
  return columnsOf(text) <= width ? text : `${beginningIn(text, width - 1)}…`;
}

/** Shortens escaped text in its middle: what a thing is called stands at both ends. */
export function clipMiddle(text: string, width: number): string {
  if (columnsOf(text) <= width) return text;
  const room = Math.max(0, width - 1);
  const end = Math.floor(room / 2);
  return `${beginningIn(text, room - end)}…${endIn(text, end)}`;
}

/**
 * Shortens the escaped object of a call: a path in its middle, a command at its end, so that no option goes
 * missing between words that are shown.
 */
export function clipObject(text: string, width: number): string {
  return text.includes(' ') ? clip(text, width) : clipMiddle(text, width);
}

function notation(code: number): string {
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}
