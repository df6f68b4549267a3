import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { canonicalize } from './canonicalize.js';
import { canonicalNumber } from './number.js';
import { parseJson } from './parse.js';
import { ExactNumber } from './value.js';

const { valid, invalid, doubles } = z
  .object({
    valid: z.array(z.object({ literal: z.string(), canonical: z.string(), exact: z.boolean() })).min(20),
    invalid: z.array(z.object({ literal: z.string(), code: z.string() })).min(10),
    doubles: z.array(z.object({ ieee: z.string().length(16), canonical: z.string() })).length(24),
  })
  .parse(JSON.parse(readFileSync(new URL('../../../../vectors/numbers.json', import.meta.url), 'utf8')));

interface Spelling {
  readonly negative: boolean;
  readonly digits: bigint;
  readonly exponent: number;
  readonly zeros: number;
  readonly point: number;
}

/** `digits` × 10^`exponent` as a literal that spells the same value in one of several ways. */
const spellings: fc.Arbitrary<Spelling> = fc.record({
  negative: fc.boolean(),
  digits: fc.bigInt({ min: 1n, max: 10n ** 40n }),
  exponent: fc.integer({ min: -60, max: 60 }),
  zeros: fc.nat({ max: 30 }),
  point: fc.nat({ max: 80 }),
});

function spell({ negative, digits, exponent, zeros, point }: Spelling): string {
  const all = `${digits}${'0'.repeat(zeros)}`.padStart(point + 1, '0');
  const whole = all.slice(0, all.length - point).replace(/^0+(?=[0-9])/, '');
  const fraction = point === 0 ? '' : `.${all.slice(all.length - point)}`;
  return `${negative ? '-' : ''}${whole}${fraction}E${exponent - zeros + point}`;
}

describe('canonicalNumber', () => {
  it.each(valid)('writes $literal as $canonical', ({ literal, canonical, exact }) => {
    expect(canonicalNumber(literal)).toBe(canonical);
    const value = parseJson(literal);
    expect(value instanceof ExactNumber).toBe(exact);
    expect(canonicalize(value)).toBe(canonical);
  });

  it.each(invalid)('refuses `$literal`', ({ literal, code }) => {
    expect(() => canonicalNumber(literal)).toThrow(expect.objectContaining({ code }));
  });

  it.each(doubles)('writes the double $ieee as RFC 8785 does', ({ ieee, canonical }) => {
    const double = Buffer.from(ieee, 'hex').readDoubleBE();
    expect(canonicalize(double)).toBe(canonical);
    expect(canonicalNumber(canonical)).toBe(canonical);
    expect(parseJson(canonical)).toBe(double === 0 ? 0 : double);
  });

  it('agrees with ECMAScript on the shortest form of any double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
        expect(canonicalNumber(JSON.stringify(double))).toBe(JSON.stringify(double));
      }),
      { numRuns: 1000 },
    );
  });

  it('gives one text for every spelling of a value, and different texts for different values', () => {
    fc.assert(
      fc.property(spellings, fc.nat({ max: 30 }), fc.nat({ max: 80 }), (value, zeros, point) => {
        const canonical = canonicalNumber(spell(value));
        expect(canonicalNumber(spell({ ...value, zeros, point }))).toBe(canonical);
        expect(canonicalNumber(canonical)).toBe(canonical);
        expect(canonicalNumber(spell({ ...value, digits: value.digits + 1n }))).not.toBe(canonical);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps huge exponents as exponents', () => {
    expect(canonicalNumber('1e99999999999999999999999')).toBe('1e+99999999999999999999999');
    expect(canonicalNumber(`0.1e-${'9'.repeat(1000)}`)).toBe(`1e-1${'0'.repeat(1000)}`);
  });
});
