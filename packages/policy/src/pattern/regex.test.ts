import { describe, expect, it } from 'vitest';
import { compileRegex } from './regex.js';
import { repeatedSize } from './repeated-size.js';

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
    [`(((${'a.'.repeat(450)}){10}){10}){10}`, 'pattern_too_large'],
    [`(?:${'[^]x]'.repeat(150)}){0,1000}`, 'pattern_too_large'],
  ])('is refused: %s', (source, code) => {
    expect(compileRegex(source)).toMatchObject({ ok: false, code });
  });

  it.each([
    ['ab{3}c', 5],
    ['(ab){3}[x{9}]{2,4}', 10],
    [String.raw`\x{1000}\p{L}{2}\{9}`, 6],
    ['((a{10}){10}){10}', 1000],
    ['((a{10}){10}', 100],
    ['a{0}b{2', 4],
    ['a)(b', 2],
  ])('that repeats its parts is measured before a program is made of it: %s', (source, size) => {
    expect(repeatedSize(source)).toBe(size);
  });
});
