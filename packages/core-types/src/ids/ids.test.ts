import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newId, newRunId, REQUEST_ID } from './ids.js';

const MAX_TIME = 2 ** 48 - 1;
const zeros = (size: number): Uint8Array => new Uint8Array(size);
const ones = (size: number): Uint8Array => new Uint8Array(size).fill(255);

describe('newId', () => {
  it('gives different request ids of 21 characters', () => {
    const ids = Array.from({ length: 1000 }, () => newId());
    expect(new Set(ids).size).toBe(1000);
    expect(ids.every((id) => id.length === 21 && REQUEST_ID.test(id))).toBe(true);
  });
});

describe('newRunId', () => {
  it('is a ULID', () => {
    expect(newRunId(0, zeros)).toBe('00000000000000000000000000');
    expect(newRunId(MAX_TIME, ones)).toBe('7ZZZZZZZZZZZZZZZZZZZZZZZZZ');
    // The time part of the example in https://github.com/ulid/spec, for 1469918176385.
    expect(newRunId(1_469_918_176_385, zeros)).toBe('01ARYZ6S410000000000000000');
  });

  it('sorts by time whatever the random part', () => {
    fc.assert(
      fc.property(fc.nat({ max: MAX_TIME - 1 }), (time) => {
        expect(newRunId(time, ones) < newRunId(time + 1, zeros)).toBe(true);
      }),
    );
  });

  it('differs within one millisecond', () => {
    expect(newRunId(1)).not.toBe(newRunId(1));
    expect(newRunId(1)).toMatch(REQUEST_ID);
  });

  it.each([-1, 0.5, Number.NaN, MAX_TIME + 1])('refuses the time %d', (time) => {
    expect(() => newRunId(time)).toThrow(RangeError);
  });

  it('refuses a random source that gives too little', () => {
    expect(() => newRunId(1, () => zeros(9))).toThrow(RangeError);
  });
});

describe('REQUEST_ID', () => {
  it.each(['abcdefgh', 'A_b-0123', 'x'.repeat(64)])('accepts %s', (id) => {
    expect(REQUEST_ID.test(id)).toBe(true);
  });

  it.each(['seven77', 'x'.repeat(65), 'abcdefg|', 'abcdefgh\n', 'äbcdefgh', '../../etc'])(
    'rejects `%s`',
    (id) => {
      expect(REQUEST_ID.test(id)).toBe(false);
    },
  );
});
