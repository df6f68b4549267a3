import { expect, test } from 'vitest';
import { meaningOf } from './keys.js';

test.each([
  ['y', 'once'],
  ['Y', 'once'],
  ['r', 'run'],
  ['n', 'no'],
  ['l', 'later'],
  ['q', 'end'],
  ['\u0003', 'end'],
  ['x', undefined],
  ['\u001b', undefined],
  ['\u001bOR', undefined],
  ['yes please', undefined],
])('the key %j means %s', (key, meaning) => {
  expect(meaningOf(key, 0, 1000)).toBe(meaning);
});

test('a key that was typed before its question was read answers nothing', () => {
  expect(meaningOf('y', 1000, 1499)).toBe('too soon');
  expect(meaningOf('y', 1000, 1500)).toBe('once');
});

test('without a question only the end is meant', () => {
  expect(meaningOf('y', undefined, 0)).toBeUndefined();
  expect(meaningOf('q', undefined, 0)).toBe('end');
});
