import type { Span } from './mask.js';
import { kindOfName } from './names.js';
import { isWord } from './runs.js';

/** Between name and value, in JSON inside JSON whose encoder writes every quote as `\u0022`. */
const ESCAPED_FIELD = /\\{1,32}u0022[ \t]{0,8}:[ \t]{0,8}\\{1,32}u0022/g;
const ESCAPED_END = /\\{1,32}u0022[ \t]{0,8}[,}\]]/g;
/** `=` of a form or query inside another one. */
const PERCENT_FIELD = /%(?:25){0,4}3[dD]/g;
const PERCENT_END = /%(?:25){0,4}(?:26|3[bB])|[&;\s"'\\<>]/g;
const MAX_NAME = 64;

/** Values of fields whose separators and quotes were encoded on the way. */
export function findEncoded(text: string): Span[] {
  const members = text.includes('u0022') ? find(text, ESCAPED_FIELD, ESCAPED_END) : [];
  return text.includes('%') ? [...members, ...find(text, PERCENT_FIELD, PERCENT_END)] : members;
}

function find(text: string, field: RegExp, ending: RegExp): Span[] {
  const spans: Span[] = [];
  field.lastIndex = 0;
  for (let match = field.exec(text); match !== null; match = field.exec(text)) {
    if (kindOfName(nameBefore(text, match.index)) === 'plain') continue;
    const start = field.lastIndex;
    ending.lastIndex = start;
    const end = ending.exec(text)?.index ?? text.length;
    if (end > start) spans.push({ start, end });
    field.lastIndex = Math.max(end, start);
  }
  return spans;
}

function nameBefore(text: string, end: number): string {
  let start = end;
  while (start > 0 && end - start < MAX_NAME && isNamePart(text.charCodeAt(start - 1))) start -= 1;
  return text.slice(start, end);
}

function isNamePart(code: number): boolean {
  return isWord(code) || code === 0x2e;
}
