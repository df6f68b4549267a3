import { expect, it } from 'vitest';
import { picked, shape } from './pick.js';

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

it.each([1, 2, 3, 4, 50])('the example of a list of %i names things that are in it', (count) => {
  expect(picked(shape(count), count)?.length).toBeGreaterThan(0);
});
