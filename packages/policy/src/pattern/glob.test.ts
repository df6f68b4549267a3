import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlob } from './glob.js';

const isLong = process.env['SUB_LONG'] !== undefined;

function matches(glob: string, name: string): boolean {
  const compiled = compileGlob(glob);
  if (!compiled.ok) throw new Error(compiled.why);
  return compiled.test(name);
}

/** An independent matcher that tries everything: slow, and too short to be wrong. */
function naive(glob: readonly string[], name: readonly string[]): boolean {
  const [head, ...rest] = glob;
  if (head === undefined) return name.length === 0;
  if (head === '*') return naive(rest, name) || (name.length > 0 && naive(glob, name.slice(1)));
  const [first, ...left] = name;
  return first !== undefined && (head === '?' || head === first) && naive(rest, left);
}

const small = fc.array(fc.constantFrom('a', 'b', '*', '?', '😀'), { maxLength: 8 });
const name = fc.array(fc.constantFrom('a', 'b', '😀', '\n'), { maxLength: 8 });

describe('a glob', () => {
  it.each([
    ['*', '', true],
    ['*', 'anything/at\nall', true],
    ['git', 'git', true],
    ['git', 'github', false],
    ['git', 'Git', false],
    ['git*', 'git', true],
    ['*_token', 'get_token', true],
    ['a*b*c', 'aXbXc', true],
    ['a*b*c', 'aXcXb', false],
    ['ab*ba', 'aba', false],
    ['*aa*aa*', 'aaa', false],
    ['?', 'é', true],
    ['?', '😀', true],
    ['??', '😀', false],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[^a-c]x', 'dx', true],
    ['[a-]', '-', true],
    ['[]', 'a', undefined],
    [String.raw`[\]\-]`, ']', true],
    ['{get,list}_*', 'list_x', true],
    ['{get,list}_*', 'set_x', false],
    ['{a,}b', 'b', true],
    [String.raw`{a\,b,c}`, 'a,b', true],
    [String.raw`a\*b`, 'a*b', true],
    [String.raw`a\*b`, 'axb', false],
    ['a.c', 'abc', false],
    ['a+', 'aa', false],
    ['(a|b)', 'a', false],
    ['^a$', 'a', false],
    ['^a$', '^a$', true],
  ])('%s on %j gives %s', (glob, text, expected) => {
    const compiled = compileGlob(glob);
    expect(compiled.ok ? compiled.test(text) : undefined).toBe(expected);
  });

  it('agrees with a matcher that tries everything', () => {
    fc.assert(
      fc.property(small, name, (glob, text) => {
        fc.pre(glob.length > 0);
        expect(matches(glob.join(''), text.join(''))).toBe(naive(glob, text));
      }),
      { numRuns: isLong ? 20_000 : 700 },
    );
  });

  it('has a normal form that matches the same names and is its own normal form', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '*',
      '**',
      '?',
      '[ab]',
      '[!a]',
      '{a,b}',
      String.raw`\*`,
      String.raw`\[`,
      '-',
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), name, (pieces, text) => {
        const glob = compileGlob(pieces.join(''));
        if (!glob.ok) throw new Error(glob.why);
        const normal = compileGlob(glob.normal);
        if (!normal.ok) throw new Error(normal.why);
        expect(normal.normal).toBe(glob.normal);
        expect(normal.test(text.join(''))).toBe(glob.test(text.join('')));
      }),
      { numRuns: isLong ? 10_000 : 350 },
    );
  });

  it('is refused or compiled, whatever the text', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '*', '?', '[', ']', '{', '}', ',', '!', '-', '\\', '^'),
    });
    fc.assert(
      fc.property(text, (glob) => {
        expect(() => compileGlob(glob)).not.toThrow();
      }),
      { numRuns: isLong ? 20_000 : 700 },
    );
  });

  it.each([
    '*a'.repeat(512),
    `${'?*'.repeat(511)}b`,
    '*a?'.repeat(341),
    '{a,aa}*'.repeat(140),
    'a*'.repeat(512),
  ])('that is hostile finishes on a long name', (glob) => {
    expect(matches(glob, 'a'.repeat(100_000))).toBe(!glob.endsWith('b'));
    expect(matches(glob, `${'a'.repeat(100_000)}c`)).toBe(!/[ab]$/.test(glob));
  });

  it('of 10,000 characters is refused', () => {
    expect(compileGlob('*a'.repeat(5000))).toMatchObject({ ok: false, code: 'pattern_too_large' });
  });
});
