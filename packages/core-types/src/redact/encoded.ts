import type { Span } from './mask.js';
import { kindOfName } from './names.js';

/** A member of JSON inside JSON whose encoder writes every quote as `\u0022`. */
const ESCAPED_MEMBER = /([A-Za-z0-9_.-]{1,64})\\{1,32}u0022[ \t]{0,8}:[ \t]{0,8}\\{1,32}u0022/g;
const ESCAPED_END = /\\{1,32}u0022[ \t]{0,8}[,}\]]/g;
/** `name=` of a form or query inside another one. */
const PERCENT_FIELD = /([A-Za-z0-9_.-]{1,64})%(?:25){0,4}3[dD]/g;
const PERCENT_END = /%(?:25){0,4}(?:26|3[bB])|[&;\s"'\\<>]/g;

/** Values of fields whose separators and quotes were encoded on the way. */
export function findEncoded(text: string): Span[] {
  // Both patterns begin with any name: a native search for what must follow spares most texts a walk.
  const members = text.includes('u0022') ? find(text, ESCAPED_MEMBER, ESCAPED_END) : [];
  return text.includes('%') ? [...members, ...find(text, PERCENT_FIELD, PERCENT_END)] : members;
}

function find(text: string, field: RegExp, ending: RegExp): Span[] {
  const spans: Span[] = [];
  field.lastIndex = 0;
  for (let match = field.exec(text); match !== null; match = field.exec(text)) {
    if (kindOfName(match[1] ?? '') === 'plain') continue;
    const start = field.lastIndex;
    ending.lastIndex = start;
    const end = ending.exec(text)?.index ?? text.length;
    if (end > start) spans.push({ start, end });
    field.lastIndex = Math.max(end, start);
  }
  return spans;
}
