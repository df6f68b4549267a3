import type { Span } from './mask.js';
import { NextPlaces, RunEnds } from './runs.js';

const SCHEME_END = '://';
const PORT = /^[0-9]{1,5}$/;

const WEBHOOK =
  /(?:hooks\.slack\.com\/(?:services|workflows)|discord(?:app)?\.com\/api\/webhooks)\/([A-Za-z0-9_/-]+)/g;

/** Addresses of web hooks: whoever knows the path may post. */
export function findWebhooks(text: string): Span[] {
  if (!text.includes('hooks.slack.com/') && !text.includes('.com/api/webhooks/')) return [];
  return Array.from(text.matchAll(WEBHOOK), ({ 0: whole, 1: path = '', index }) => {
    const end = index + whole.length;
    return { start: end - path.length, end };
  });
}

/** User information in URLs: all between `://` and `@`, save the user name `git`, which is no secret. */
export function findUserInfo(text: string, cut: boolean): Span[] {
  let at = text.indexOf(SCHEME_END);
  if (at === -1) return [];
  const spans: Span[] = [];
  const authorities = new RunEnds(
    text,
    (code) => !isUrlEnd(code) && !'/?#'.includes(String.fromCharCode(code)),
  );
  const urls = new RunEnds(text, (code) => !isUrlEnd(code));
  const ats = new NextPlaces(text, '@');
  while (at !== -1) {
    const start = at + SCHEME_END.length;
    const authorityEnd = authorities.endFrom(start);
    // A raw `/`, `?` or `#` inside a password ends the authority too early: with a password the whole URL
    // counts.
    const searched = hasPassword(text.slice(start, authorityEnd)) ? urls.endFrom(start) : authorityEnd;
    let end = start;
    if (ats.from(start) < searched) end = start + text.slice(start, searched).lastIndexOf('@');
    else if (cut && searched === text.length) end = searched;
    if (end > start && text.slice(start, end) !== 'git') spans.push({ start, end });
    at = text.indexOf(SCHEME_END, Math.max(authorityEnd, end));
  }
  return spans;
}

function hasPassword(authority: string): boolean {
  const colon = authority.indexOf(':');
  return colon !== -1 && !authority.startsWith('[') && !PORT.test(authority.slice(colon + 1));
}

/** Space and control characters, quotes, angle brackets, backslash. */
function isUrlEnd(code: number): boolean {
  return code <= 0x20 || '"\'`<>\\'.includes(String.fromCharCode(code));
}
