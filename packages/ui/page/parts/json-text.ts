import type { JsonValue } from '@subluminal/core-types/portable';
import { plainLines } from './plain-text.js';

const MOST = 64 * 1024;
/** Levels that are indented: each has two blanks a line, and a text may be nothing but brackets. */
const MOST_LEVELS = 32;
const PIECE = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s"[\]{},:]+|\{\s*\}|\[\s*\]|[[\]{},:]/g;

/** JSON as it is shown: indented, and cut where it is long. */
export function jsonText(value: JsonValue | undefined, most = MOST): string {
  return value === undefined ? '' : plainLines(JSON.stringify(value, null, 2), most);
}

/**
 * A text that may be JSON: indented if it is, as it stands if it is not. Nothing else of it changes: a number
 * keeps its digits, and a name that stands twice stands there twice.
 */
export function asRead(text: string): string {
  return plainLines(text.length <= MOST && /^[[{]/.test(text) && isJson(text) ? indented(text) : text);
}

function indented(text: string): string {
  let level = 0;
  const line = (): string => `\n${'  '.repeat(Math.min(level, MOST_LEVELS))}`;
  return (text.match(PIECE) ?? [])
    .map((piece) => {
      if (piece === ':') return ': ';
      if (piece === ',') return piece + line();
      level += '[{'.includes(piece) ? 1 : ']}'.includes(piece) ? -1 : 0;
      return '[{'.includes(piece) ? piece + line() : ']}'.includes(piece) ? line() + piece : piece;
    })
    .join('');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
