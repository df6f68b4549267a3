/**
 * A decimal number as 0.`digits` × 10^`point`; `digits` is empty for zero and neither begins nor ends with
 * `0`.
 */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly point: bigint;
}

const CANONICAL = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:e([+-][0-9]+))?$/;

/**
 * Orders two canonical number texts (`canonicalNumber`) by their exact decimal value: negative, zero or
 * positive. Never goes through a double and never writes out an exponent.
 */
export function compareDecimals(a: string, b: string): number {
  const left = decimal(a);
  const right = decimal(b);
  if (left.digits === '' || right.digits === '') return signOf(left) - signOf(right);
  if (left.negative !== right.negative) return left.negative ? -1 : 1;
  const size = compareSizes(left, right);
  return left.negative ? -size : size;
}

function compareSizes(a: Decimal, b: Decimal): number {
  if (a.point !== b.point) return a.point < b.point ? -1 : 1;
  if (a.digits === b.digits) return 0;
  return a.digits < b.digits ? -1 : 1;
}

function signOf(value: Decimal): number {
  if (value.digits === '') return 0;
  return value.negative ? -1 : 1;
}

function decimal(text: string): Decimal {
  const match = CANONICAL.exec(text);
  if (match === null) throw new RangeError('not a canonical number');
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const all = whole + fraction;
  const start = all.search(/[1-9]/);
  if (start === -1) return { negative: false, digits: '', point: 0n };
  let end = all.length;
  while (all.charCodeAt(end - 1) === 0x30) end -= 1;
  const point = BigInt(whole.length - start) + BigInt(exponent);
  return { negative: sign === '-', digits: all.slice(start, end), point };
}
