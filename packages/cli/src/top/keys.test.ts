import { expect, test } from 'vitest';
import { movesOf } from './keys.js';

test.each([
  ['j', ['down']],
  ['\u001b[B', ['down']],
  ['\u001bOA', ['up']],
  ['jjk', ['down', 'down', 'up']],
  ['\r', ['open']],
  ['\u001b', ['back']],
  ['q', ['end']],
  ['\u0003', ['end']],
  ['x', []],
  ['\u001b[200~q', []],
])('the keys %j make the moves %j', (text, moves) => {
  expect(movesOf(text)).toEqual(moves);
});

test('keys that are pasted are read up to a bound', () => {
  expect(movesOf('j'.repeat(1000))).toHaveLength(32);
});
