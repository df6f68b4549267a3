import { canonicalNumber } from '@subluminal/core-types';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareDecimals } from './decimal.js';

const literal = fc
  .tuple(fc.constantFrom('', '-'), fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.integer({ min: -40, max: 40 }))
  .map(([sign, digits, power]) => `${sign}${digits}e${power}`);

/** The value times 10^40: exact, since no literal above has more decimals. */
function scaled(text: string): bigint {
  const [mantissa = '', power = '0'] = text.split('e');
  return BigInt(mantissa) * 10n ** BigInt(Number(power) + 40);
}

describe('comparing decimals', () => {
  it('agrees with integers of any size', () => {
    fc.assert(
      fc.property(literal, literal, (a, b) => {
        const [left, right] = [scaled(a), scaled(b)];
        const expected = left === right ? 0 : left < right ? -1 : 1;
        // Two that are equal and negative compare as -0.
        expect(Math.sign(compareDecimals(canonicalNumber(a), canonicalNumber(b))) + 0).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['9007199254740993', '9007199254740992', 1],
    ['1e+400', '1.7976931348623157e+308', 1],
    ['-1e+400', '-1.7976931348623157e+308', -1],
    ['1e-400', '0', 1],
    ['-1e-400', '0', -1],
    ['0', '0', 0],
    ['1e+99999999999999999999', '1e+99999999999999999998', 1],
    ['0.1', '0.10000000000000000001', -1],
  ])('orders %s and %s', (a, b, expected) => {
    expect(Math.sign(compareDecimals(a, b))).toBe(expected);
    expect(Math.sign(compareDecimals(b, a))).toBe(0 - expected);
  });
});
