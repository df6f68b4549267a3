import type { Span } from './mask.js';

const BEGIN = /-----BEGIN ([A-Z0-9 ]{0,64})-----/g;

/** Private keys in PEM, armour lines included; one without its own end line runs to the end of the text. */
export function findPrivateKeys(text: string): Span[] {
  const spans: Span[] = [];
  BEGIN.lastIndex = 0;
  for (let match = BEGIN.exec(text); match !== null; match = BEGIN.exec(text)) {
    const label = match[1] ?? '';
    if (!label.includes('PRIVATE KEY')) continue;
    const closing = `-----END ${label}-----`;
    const found = text.indexOf(closing, BEGIN.lastIndex);
    const end = found === -1 ? text.length : found + closing.length;
    spans.push({ start: match.index, end });
    BEGIN.lastIndex = end;
  }
  return spans;
}
