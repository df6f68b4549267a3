import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineDiff, withContext } from './line-diff.js';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });

test('both texts can be read out of a comparison', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = lineDiff(before, after);
      expect(diff.filter(({ sign }) => sign !== '+').map(({ text }) => text)).toEqual(before);
      expect(diff.filter(({ sign }) => sign !== '-').map(({ text }) => text)).toEqual(after);
    }),
  );
});

test('a line that stayed is not shown as changed', () => {
  expect(lineDiff(['a', 'b', 'c'], ['a', 'x', 'c'])).toEqual([
    { sign: ' ', text: 'a' },
    { sign: '-', text: 'b' },
    { sign: '+', text: 'x' },
    { sign: ' ', text: 'c' },
  ]);
});

test('lines far from a change are left out, every change is shown', () => {
  const before = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  const after = before.map((line, at) => (at === 10 || at === 30 ? 'other' : line));
  const shown = withContext(lineDiff(before, after));
  expect(shown.filter((line) => line === undefined)).toHaveLength(1);
  expect(shown.filter((line) => line?.text === 'other')).toHaveLength(2);
  expect(shown).toHaveLength(13);
});

test('texts that are too long to be compared line by line are shown whole', () => {
  const before = Array.from({ length: 3000 }, (_, at) => `old ${at}`);
  const after = Array.from({ length: 3000 }, (_, at) => `new ${at}`);
  expect(lineDiff(before, after)).toHaveLength(6000);
});
