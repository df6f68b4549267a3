import { SublError } from '../errors/subl-error.js';
import { excerpt } from './well-formed.js';

/** The longest number literal, and the longest canonical form, that is read: 1,024 characters. */
export const MAX_NUMBER_LENGTH = 1024;

/** A power of ten up to this is written out, a larger one as an exponent (ECMAScript Number::toString). */
const MAX_PLAIN_EXPONENT = 21n;
/** Below 10^-6 ECMAScript changes to an exponent. */
const MIN_PLAIN_EXPONENT = -6n;

const LITERAL = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/**
 * The canonical form of a JSON number literal: the notation of RFC 8785 (ECMAScript Number::toString) over
 * the exact decimal value of the literal. `1.0`, `1` and `1e0` give `1`, `-0` gives `0`, 9007199254740993
 * stays as it is, and a literal that is the shortest form of its double gives what RFC 8785 gives. Exponents
 * are never expanded beyond 21 digits. `invalid_json` when `literal` is not a JSON number, or it or its
 * canonical form is longer than 1,024.
 */
export function canonicalNumber(literal: string): string {
  if (literal.length > MAX_NUMBER_LENGTH) throw tooLong();
  const match = LITERAL.exec(literal);
  if (match === null) {
    throw new SublError('invalid_json', `\`${excerpt(literal)}\` is not a JSON number`);
  }
  const [, sign = '', whole = '', fraction = '', power = '0'] = match;
  const all = stripLeadingZeros(whole + fraction);
  if (all === '') return '0';
  const digits = stripTrailingZeros(all);
  const unit = BigInt(power) - BigInt(fraction.length) + BigInt(all.length - digits.length);
  const text = sign + layOut(digits, unit + BigInt(digits.length));
  if (text.length > MAX_NUMBER_LENGTH) throw tooLong();
  return text;
}

/**
 * Lays out the value 0.`digits` × 10^`point` as ECMAScript Number::toString does (there: s = digits, n =
 * point).
 */
function layOut(digits: string, point: bigint): string {
  if (point > MAX_PLAIN_EXPONENT || point <= MIN_PLAIN_EXPONENT) {
    const exponent = point - 1n;
    const mantissa = digits.length === 1 ? digits : `${digits.slice(0, 1)}.${digits.slice(1)}`;
    return `${mantissa}e${exponent < 0n ? '-' : '+'}${exponent < 0n ? -exponent : exponent}`;
  }
  const shift = Number(point);
  if (shift <= 0) return `0.${'0'.repeat(-shift)}${digits}`;
  if (shift >= digits.length) return digits.padEnd(shift, '0');
  return `${digits.slice(0, shift)}.${digits.slice(shift)}`;
}

function stripLeadingZeros(digits: string): string {
  let start = 0;
  while (digits.charCodeAt(start) === 0x30) start += 1;
  return digits.slice(start);
}

function stripTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 0x30) end -= 1;
  return digits.slice(0, end);
}

function tooLong(): SublError {
  return new SublError('invalid_json', `a number has more than ${MAX_NUMBER_LENGTH} characters`);
}
