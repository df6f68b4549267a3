import { SublError } from '../errors/subl-error.js';

/** How many arrays and objects may stand inside each other. The bound of every recursion over JSON. */
export const MAX_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The error for JSON, or a value, that is nested deeper than `maxDepth`. */
export function tooDeep(maxDepth: number): SublError {
  return new SublError('too_deep', `json is nested deeper than ${maxDepth} levels`);
}

/**
 * Throws `too_deep` when the containers of a JSON text are nested deeper than `maxDepth`. Runs before any
 * parser: it needs no stack, so hostile nesting costs one pass over the text. On a text that is not JSON the
 * answer means nothing.
 */
export function assertTextDepth(text: string, maxDepth: number): void {
  if (countsAtMost(text, maxDepth)) return;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at);
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > maxDepth) throw tooDeep(maxDepth);
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
}

/**
 * Fewer opening brackets than `limit`, wherever they stand, cannot nest deeper: two native searches settle
 * it.
 */
function countsAtMost(text: string, limit: number): boolean {
  let count = 0;
  for (const opening of ['{', '[']) {
    for (let at = text.indexOf(opening); at !== -1; at = text.indexOf(opening, at + 1)) {
      count += 1;
      if (count > limit) return false;
    }
  }
  return true;
}

/** The index of the quote that ends the string which starts at `start`, or the last index of the text. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    at += code === BACKSLASH ? 2 : 1;
  }
  return text.length;
}
