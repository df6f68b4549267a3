import { expect, it } from 'vitest';
import { picked } from './pick.js';

it.each([
  ['', []],
  ['1', [0]],
  ['3 1', [0, 2]],
  ['1-3, 2', [0, 1, 2]],
  ['0', undefined],
  ['4', undefined],
  ['2-1', undefined],
  ['1-', undefined],
  ['x', undefined],
])('numbers of a list: `%s`', (text, numbers) => {
  expect(picked(text, 3)).toEqual(numbers);
});
