import { ExactNumber, type JsonValue } from '@subluminal/core-types';
import { type Amount, exceeds, MAX_UNITS } from './amount.js';

const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:e([+-][0-9]{1,6}))?$/;
const PLAIN_TEXT = /^[0-9]+(?:\.[0-9]+)?$/;
const MAX_TEXT = 64;

/**
 * The exact cost that an argument names: a number, or a text that is a plain decimal number. Six digits after
 * the point count; what is behind them rounds up. Undefined for everything else: no number, a negative one,
 * one past 2^53. Of a number that a server may read as another one the larger reading counts.
 */
export function costOf(value: JsonValue | undefined): Amount | undefined {
  if (typeof value === 'number') return decimalAmount(String(value));
  if (typeof value === 'string') {
    return value.length <= MAX_TEXT && PLAIN_TEXT.test(value) ? largerReading(value) : undefined;
  }
  return value instanceof ExactNumber ? largerReading(value.text) : undefined;
}

function largerReading(text: string): Amount | undefined {
  const exact = decimalAmount(text);
  const double = decimalAmount(String(Number(text)));
  if (exact === undefined || double === undefined) return undefined;
  return exceeds(double, exact) ? double : exact;
}

function decimalAmount(text: string): Amount | undefined {
  const match = NUMBER.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return { units: 0, micros: 0 };
  if (sign === '-') return undefined;
  // The value is `digits` × 10^-(places); six places are kept.
  const places = fraction.length - Number(exponent);
  if (digits.length - places > 16) return undefined;
  const scale = places - 6;
  if (scale <= 0) return amountOf(BigInt(digits) * 10n ** BigInt(-scale));
  if (scale > digits.length) return amountOf(1n);
  const kept = digits.slice(0, digits.length - scale);
  const isRounded = /[1-9]/.test(digits.slice(digits.length - scale));
  return amountOf(BigInt(kept === '' ? '0' : kept) + (isRounded ? 1n : 0n));
}

function amountOf(micros: bigint): Amount | undefined {
  const units = Number(micros / 1_000_000n);
  return units > MAX_UNITS ? undefined : { units, micros: Number(micros % 1_000_000n) };
}
