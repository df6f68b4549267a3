import { expect, test } from 'vitest';
import { Rates } from './rates.js';

test('the calls of the last minute are counted, by run', () => {
  const rates = new Rates();
  rates.add('a', 1_000);
  rates.add('a', 30_000);
  rates.add('b', 30_500);
  expect([rates.perMinute('a', 31_000), rates.perMinute('b', 31_000)]).toEqual([2, 1]);
  expect([rates.perMinute('a', 80_000), rates.perMinute('b', 95_000)]).toEqual([1, 0]);
  expect(rates.perMinute('c', 0)).toBe(0);
});

test('of more runs than a thousand the one that called longest ago is forgotten', () => {
  const rates = new Rates();
  for (let at = 0; at <= 1000; at += 1) rates.add(`r${at}`, 1_000);
  expect([rates.perMinute('r0', 1_000), rates.perMinute('r1', 1_000)]).toEqual([0, 1]);
});
