import { ExactNumber, parseJson } from '@subluminal/core-types';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addAmounts, amountText, exceeds, MAX_UNITS, subtractAmounts } from './amount.js';
import { costOf } from './cost.js';

const shown = (value: Parameters<typeof costOf>[0]): string | undefined => {
  const cost = costOf(value);
  return cost === undefined ? undefined : amountText(cost);
};

describe('a cost', () => {
  it.each<[Parameters<typeof costOf>[0], string | undefined]>([
    [0, '0'],
    [-0, '0'],
    [12.5, '12.5'],
    ['12.50', '12.5'],
    ['007', '7'],
    [0.1, '0.1'],
    [1e-7, '0.000001'],
    ['0.0000001', '0.000001'],
    ['1.0000000', '1'],
    ['0.99999999', '1'],
    [5e-324, '0.000001'],
    [MAX_UNITS, '9007199254740991'],
    [9007199254740992, undefined],
    [1e21, undefined],
    ['99999999999999999999', undefined],
    [-1, undefined],
    ['-1', undefined],
    ['+1', undefined],
    ['1e3', undefined],
    ['1,5', undefined],
    ['1.', undefined],
    ['.5', undefined],
    ['', undefined],
    [' 1', undefined],
    ['١', undefined],
    ['0'.repeat(65), undefined],
    [true, undefined],
    [null, undefined],
    [[1], undefined],
    [{}, undefined],
    [undefined, undefined],
    [Number.NaN, undefined],
    [Infinity, undefined],
    [new ExactNumber('0.1000000000000000001'), '0.100001'],
    [new ExactNumber('1e400'), undefined],
    [new ExactNumber('-0.1000000000000000001'), undefined],
    [new ExactNumber('1e-400'), '0.000001'],
  ])('of %o is %o', (value, expected) => {
    expect(shown(value)).toBe(expected);
  });

  it('of a number with two readings is the larger one', () => {
    expect(shown(parseJson('4503599627370497.4999999'))).toBe('4503599627370497.5');
    expect(shown('0.1000000000000000055')).toBe('0.100001');
  });

  it('is never less than the number, and at most a millionth more', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.string({ unit: fc.constantFrom('0', '1', '5', '9'), maxLength: 12 }),
        (whole, digits) => {
          const text = digits === '' ? String(whole) : `${whole}.${digits}`;
          const exact = BigInt(whole) * 10n ** 12n + BigInt(digits.padEnd(12, '0'));
          const cost = costOf(text);
          if (cost === undefined) throw new Error('is a cost');
          const counted = (BigInt(cost.units) * 1_000_000n + BigInt(cost.micros)) * 1_000_000n;
          expect(counted >= exact && counted - exact < 2_000_000n).toBe(true);
        },
      ),
    );
  });
});

describe('amounts', () => {
  const amount = fc.record({
    units: fc.oneof(fc.nat(9), fc.constantFrom(MAX_UNITS, MAX_UNITS - 1)),
    micros: fc.constantFrom(0, 1, 500_000, 999_999),
  });
  const exact = ({ units, micros }: { units: number; micros: number }): bigint =>
    BigInt(units) * 1_000_000n + BigInt(micros);
  const most = BigInt(MAX_UNITS) * 1_000_000n + 999_999n;

  it('are added, subtracted and compared exactly, and stay at the largest', () => {
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        const sum = exact(a) + exact(b);
        if (sum <= most) expect(exact(addAmounts(a, b))).toBe(sum);
        else expect(addAmounts(a, b).units).toBe(MAX_UNITS);
        expect(exact(subtractAmounts(a, b))).toBe(exact(a) > exact(b) ? exact(a) - exact(b) : 0n);
        expect(exceeds(a, b)).toBe(exact(a) > exact(b));
      }),
    );
  });
});
