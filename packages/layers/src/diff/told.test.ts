import { expect, test } from 'vitest';
import { pathOfText } from '../files/byte-path.js';
import type { Change } from './change.js';
import { toldOf } from './told.js';

test('a path that is cut has no half of a letter, which nobody could record', () => {
  const paths = ['', 'x'].map((begin) => pathOfText(`${begin}${'😀'.repeat(300)}`));
  const changes = paths.map((path): Change => ({
    path,
    how: 'deleted',
    before: undefined,
    after: undefined,
    isStale: false,
  }));
  const told = toldOf({ changes, isTruncated: false });
  expect(told?.paths.map((path) => [path.length, path.isWellFormed()])).toEqual([
    [512, true],
    [512, true],
  ]);
});
