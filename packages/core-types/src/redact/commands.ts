import type { Span } from './mask.js';
import { kindOfName } from './names.js';
import { openQuote } from './quotes.js';
import { valueSpan } from './values.js';

/** `curl -u user:password`, also as two arguments of a list. */
const USER =
  /(?<![A-Za-z0-9_-])(?:-u|--user|--proxy-user)(?:[ \t=]|\\{0,32}["'],)[ \t]{0,8}\\{0,32}["']?[^\s:"'\\]{0,128}:/g;
/** `setx NAME value`, `setenv NAME value`. */
const SET = /(?<![A-Za-z0-9_-])(?:setx|setenv)[ \t]{1,8}([A-Za-z0-9_]{1,64})[ \t]{1,8}/gi;
/** `.netrc`, and `PASSWORD '…'`, `IDENTIFIED BY '…'` of SQL. */
const NETRC = /(?<![A-Za-z0-9_-])login\s{1,8}\S{1,128}\s{1,8}password\s{1,8}/gi;
const SQL = /(?<![A-Za-z0-9_-])(?:password|identified by)[ \t]{1,8}(?=\\{0,32}')/gi;

/** Secrets that a command or statement takes by their place. */
export function findCommands(text: string): Span[] {
  return [
    ...after(text, USER, () => true),
    ...after(text, SET, (name) => kindOfName(name) !== 'plain'),
    ...after(text, NETRC, () => true),
    ...after(text, SQL, () => true),
  ];
}

function after(text: string, pattern: RegExp, fits: (name: string) => boolean): Span[] {
  const spans: Span[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (!fits(match[1] ?? '')) continue;
    const at = pattern.lastIndex;
    // A quote right behind the colon of `user:` closes what stands before it.
    const isEmpty = pattern === USER && openQuote(text, at) !== undefined;
    const span = isEmpty ? undefined : valueSpan(text, at, 'word');
    if (span === undefined) continue;
    spans.push(span);
    pattern.lastIndex = Math.max(span.end, at);
  }
  return spans;
}
