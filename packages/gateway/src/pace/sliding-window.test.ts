import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { SlidingWindow } from './sliding-window.js';

test('no window holds more than the limit, and whoever waits as long as told fits', () => {
  const steps = fc.array(fc.nat({ max: 400 }), { maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), steps, (limit, pauses) => {
      const window = new SlidingWindow(1000, () => limit);
      const taken: number[] = [];
      let now = 0;
      for (const pause of pauses) {
        now += pause;
        const waitMs = window.waitMs(now);
        const isFull = taken.filter((time) => now - time < 1000).length >= limit;
        expect(waitMs > 0).toBe(isFull);
        if (waitMs > 0) {
          now += waitMs;
          expect(window.waitMs(now)).toBe(0);
        }
        window.add(now);
        taken.push(now);
      }
    }),
  );
});

test('a limit that is lowered holds for what is in the window already', () => {
  let limit = 3;
  const window = new SlidingWindow(1000, () => limit);
  for (const time of [0, 100, 200]) window.add(time);
  limit = 1;
  expect([window.waitMs(300), window.waitMs(1200)]).toEqual([900, 0]);
});

test('counts a time of an earlier process that lies in the future as now', () => {
  const window = new SlidingWindow(1000, () => 1);
  window.restore([5000], 100);
  expect(window.waitMs(100)).toBe(1000);
});

test('takes one where one fits, and counts nothing where none does', () => {
  const window = new SlidingWindow(1000, () => 1);
  expect([0, 400, 999, 1000].map((now) => window.take(now))).toEqual([0, 600, 1, 0]);
});
