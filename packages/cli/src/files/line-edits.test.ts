import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineEdits } from './line-edits.js';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });

test('both texts can be read out of a comparison', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = lineEdits(before, after);
      expect(diff.filter(({ sign }) => sign !== '+').map(({ text }) => text)).toEqual(before);
      expect(diff.filter(({ sign }) => sign !== '-').map(({ text }) => text)).toEqual(after);
    }),
  );
});

test('a line that stayed is not shown as changed', () => {
  expect(lineEdits(['a', 'b', 'c'], ['a', 'x', 'c'])).toMatchObject([
    { sign: ' ', text: 'a' },
    { sign: '-', text: 'b' },
    { sign: '+', text: 'x' },
    { sign: ' ', text: 'c' },
  ]);
});

test('texts that are too long to be compared line by line are shown whole', () => {
  const before = Array.from({ length: 3000 }, (_, at) => `old ${at}`);
  const after = Array.from({ length: 3000 }, (_, at) => `new ${at}`);
  expect(lineEdits(before, after)).toHaveLength(6000);
});
