import type { Span } from './mask.js';
import { isAlphanumeric } from './runs.js';

const SCHEME = /(bearer|basic)[ \t]+/gi;
const DIGIT = /[0-9]/;
const MIN_LENGTH = 8;
/** A bearer value this long is one even without a digit; prose has no such words. */
const LONG = 20;
/** A Basic value this long is not decoded to see whether it is one. */
const TOO_LONG_TO_DECODE = 1024;
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const COLON = 0x3a;

/** Bearer and Basic credentials wherever they stand, even without the name of their header. */
export function findSchemes(text: string): Span[] {
  const spans: Span[] = [];
  SCHEME.lastIndex = 0;
  for (let match = SCHEME.exec(text); match !== null; match = SCHEME.exec(text)) {
    const start = match.index + match[0].length;
    let end = start;
    while (end < text.length && isCredential(text.charCodeAt(end))) end += 1;
    const value = text.slice(start, end);
    const basic = match[1]?.toLowerCase() === 'basic';
    if (basic ? isBasic(value) : isBearer(value)) {
      spans.push({ start, end });
    }
    SCHEME.lastIndex = Math.max(end, SCHEME.lastIndex);
  }
  return spans;
}

function isBearer(value: string): boolean {
  return value.length >= MIN_LENGTH && (value.length >= LONG || DIGIT.test(value));
}

/**
 * A Basic value is the base64 of `user:password`; the words that follow "basic" in prose do not decode to a
 * colon.
 */
function isBasic(value: string): boolean {
  if (value.length > TOO_LONG_TO_DECODE) return true;
  return value.length >= MIN_LENGTH && decodesToColon(value);
}

/**
 * Tells whether a colon is among the bytes of a base64 text. It takes both alphabets, skips other signs and
 * ends at the first `=`.
 */
function decodesToColon(value: string): boolean {
  let bits = 0;
  let held = 0;
  for (const character of value) {
    if (character === '=') return false;
    const digit = BASE64.indexOf(character === '-' ? '+' : character === '_' ? '/' : character);
    if (digit === -1) continue;
    bits = ((bits << 6) | digit) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    if (((bits >> held) & 0xff) === COLON) return true;
  }
  return false;
}

/** The characters of RFC 6750's b64token. */
function isCredential(code: number): boolean {
  return isAlphanumeric(code) || '-._~+/='.includes(String.fromCharCode(code));
}
