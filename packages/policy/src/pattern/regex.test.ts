import { describe, expect, it } from 'vitest';
import { compileRegex } from './regex.js';

function matches(source: string, name: string): boolean {
  const compiled = compileRegex(source);
  if (!compiled.ok) throw new Error(compiled.why);
  return compiled.test(name);
}

describe('a regex', () => {
  it.each([
    ['git', 'git', true],
    ['git', 'github', false],
    ['git', 'my git', false],
    ['a|ab', 'ab', true],
    ['drop|delete_.*', 'undelete_x', false],
    ['drop|delete_.*', 'drop_x', false],
    ['delete_.*', 'delete_x\ny', true],
    ['(?-s)delete_.*', 'delete_x\ny', false],
    ['delete', 'delete\n', false],
    ['(?i)git', 'GIT', true],
    [String.raw`\p{Greek}+`, 'αβγ', true],
    ['.', '😀', true],
  ])('%s on %j gives %s', (source, name, expected) => {
    expect(matches(source, name)).toBe(expected);
  });

  it.each(['(a+)+b', '(a|a)*b', '(a|aa)+$b', '(.*)*x', '(x+x+)+y', 'a?'.repeat(100) + 'a'.repeat(100) + 'b'])(
    'that is hostile to backtracking finishes on a long name: %s',
    (source) => {
      expect(matches(source, 'a'.repeat(100_000))).toBe(false);
    },
  );

  it.each([
    ['', 'empty_pattern'],
    ['a(?=b)', 'bad_regex'],
    [String.raw`(a)\1`, 'bad_regex'],
    ['a'.repeat(10_000), 'pattern_too_large'],
    ['[a-z]{900}'.repeat(5), 'pattern_too_large'],
  ])('is refused: %s', (source, code) => {
    expect(compileRegex(source)).toMatchObject({ ok: false, code });
  });
});
