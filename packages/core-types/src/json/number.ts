import { SublError } from '../errors/subl-error.js';
import { excerpt } from './well-formed.js';

/** The longest number literal, and the longest canonical form, that is read: 1,024 characters. */
export const MAX_NUMBER_LENGTH = 1024;

/** A power of ten up to this is written out, a larger one as an exponent (ECMAScript Number::toString). */
const MAX_PLAIN_EXPONENT = 21;
/** Below 10^-6 ECMAScript changes to an exponent. */
const MIN_PLAIN_EXPONENT = -6;

/** An exponent of so many characters is counted with in doubles: no digits of a literal lead out of them. */
const SHORT_POWER = 9;

/** An integer that is written out, and so its own canonical form. */
const PLAIN_INTEGER = /^-?[1-9][0-9]{0,20}$/;
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
  if (PLAIN_INTEGER.test(literal)) return literal;
  const match = LITERAL.exec(literal);
  if (match === null) {
    throw new SublError('invalid_json', `\`${excerpt(literal)}\` is not a JSON number`);
  }
  const [, sign = '', whole = '', fraction = '', power = '0'] = match;
  const all = stripLeadingZeros(whole + fraction);
  if (all === '') return '0';
  const shift = all.length - fraction.length;
  const point = power.length <= SHORT_POWER ? Number(power) + shift : BigInt(power) + BigInt(shift);
  const text = sign + layOut(stripTrailingZeros(all), point);
  if (text.length > MAX_NUMBER_LENGTH) throw tooLong();
  return text;
}

/**
 * Lays out the value 0.`digits` × 10^`point` as ECMAScript Number::toString does (there: s = digits, n =
 * point).
 */
function layOut(digits: string, point: number | bigint): string {
  if (point > MAX_PLAIN_EXPONENT || point <= MIN_PLAIN_EXPONENT) {
    const exponent = typeof point === 'bigint' ? point - 1n : point - 1;
    const mantissa = digits.length === 1 ? digits : `${digits.slice(0, 1)}.${digits.slice(1)}`;
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${exponent < 0 ? -exponent : exponent}`;
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
