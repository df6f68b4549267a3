import { expect, test } from 'vitest';
import { lineEdits } from '../../files/line-edits.js';
import { withContext } from './line-context.js';

test('lines far from a change are left out, every change is shown', () => {
  const before = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  const after = before.map((line, at) => (at === 10 || at === 30 ? 'other' : line));
  const shown = withContext(lineEdits(before, after));
  expect(shown.filter((line) => line === undefined)).toHaveLength(1);
  expect(shown.filter((line) => line?.text === 'other')).toHaveLength(2);
  expect(shown).toHaveLength(13);
});
