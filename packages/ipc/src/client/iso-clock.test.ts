import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IsoClock } from './iso-clock.js';

test('times are written as a date writes them, in whatever order they come', () => {
  const clock = new IsoClock();
  const times = fc.array(fc.tuple(fc.integer({ min: -3, max: 2_000_000_000 }), fc.nat(2500)));
  fc.assert(
    fc.property(times, (list) => {
      for (const [second, ms] of list) {
        for (const time of [second * 1000, second * 1000 + ms, second * 1000 + 999]) {
          expect(clock.textOf(time)).toBe(new Date(time).toISOString());
        }
      }
    }),
  );
});

test('what is no time is refused as a date refuses it', () => {
  expect(() => new IsoClock().textOf(Number.NaN)).toThrow(RangeError);
});
