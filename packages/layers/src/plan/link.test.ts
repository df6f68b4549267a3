import { describe, expect, it } from 'vitest';
import { pathOfText } from '../files/byte-path.js';
import { leadsOut } from './link.js';

describe('a link', () => {
  it.each([
    ['a', 'b'],
    ['d/a', '../b'],
    ['d/e/a', '../../b/c'],
    ['d/a', './b'],
    ['d/a', '..'],
  ])('`%s` to `%s` stays in the project', (path, target) => {
    expect(leadsOut(pathOfText(path), pathOfText(target))).toBe(false);
  });

  it.each([
    ['a', '/etc/passwd'],
    ['a', '..'],
    ['a', '../b'],
    ['d/a', '../../b'],
    ['a', ''],
    ['d/a', 'b/../c'],
    ['e', 'x/y/z/l/../..'],
  ])('`%s` to `%s` may lead out', (path, target) => {
    expect(leadsOut(pathOfText(path), pathOfText(target))).toBe(true);
  });
});
