import { expect, test } from 'vitest';
import { Places } from './places.js';

test('one process takes sixty-four places, and all together four times as many', () => {
  const places = new Places();
  const taken = Array.from({ length: 64 }, () => places.take('a'));
  expect(taken).not.toContain(undefined);
  expect(places.take('a')).toBeUndefined();
  for (const key of ['b', 'c', 'd']) for (let at = 0; at < 64; at += 1) places.take(key);
  expect(places.take('e')).toBeUndefined();
  taken[0]?.();
  expect(places.take('e')).toBeDefined();
  expect(places.take('a')).toBeUndefined();
});
