import { describe, expect, it } from 'vitest';
import { expiryData, readExpiry } from './record.js';

const RANGE = { from: 2, to: 9, count: 3 };

describe('the data of an entry that says which previews expired', () => {
  it.each([
    RANGE,
    { from: 1, to: 1, count: 1 },
    { from: 1, to: Number.MAX_SAFE_INTEGER, count: Number.MAX_SAFE_INTEGER },
  ])('reads back as it was written: $from to $to', (range) => {
    expect(readExpiry(expiryData(range))).toEqual(range);
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'from'],
    ['a number', 3],
    ['a list', [2, 9, 3]],
    ['an empty object', {}],
    ['a fourth member', { ...RANGE, more: 1 }],
    ['a range that ends before it begins', { ...RANGE, from: 9, to: 8 }],
    ['a range that begins before the first entry', { ...RANGE, from: 0 }],
    ['a range that begins below zero', { ...RANGE, from: -1 }],
    ['a count of nothing', { ...RANGE, count: 0 }],
    ['a count below zero', { ...RANGE, count: -1 }],
    ['members that it only inherits', Object.create(RANGE)],
  ])('is not read from %s', (_, data: unknown) => {
    expect(readExpiry(data)).toBeUndefined();
  });

  describe.each(['from', 'to', 'count'] as const)('with `%s`', (member) => {
    it('left out is not read, with three members or with two', () => {
      const { [member]: left, ...rest } = RANGE;
      expect(readExpiry(rest)).toBeUndefined();
      expect(readExpiry({ ...rest, other: left })).toBeUndefined();
    });

    it.each([
      ['a text', String(RANGE[member])],
      ['null', null],
      ['a list', [RANGE[member]]],
      ['true', true],
      ['a big integer', BigInt(RANGE[member])],
      ['a fraction', RANGE[member] + 0.5],
      ['no number', NaN],
      ['infinite', Infinity],
      ['more than a double counts', 2 ** 53],
    ])('as %s is not read', (_, value) => {
      const wide = { from: 1, to: Number.MAX_SAFE_INTEGER, count: 1 };
      expect(readExpiry({ ...RANGE, [member]: value })).toBeUndefined();
      expect(readExpiry({ ...wide, [member]: value })).toBeUndefined();
    });
  });
});
