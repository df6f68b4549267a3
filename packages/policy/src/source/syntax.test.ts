import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';

function firstOf(source: string): string {
  const result = compilePolicy(source, { format: 'yaml' });
  const [problem] = result.ok ? [] : result.problems;
  return `${problem?.line}:${problem?.column} ${problem?.message}`;
}

function problemsOf(source: string) {
  const result = compilePolicy(source, { format: 'yaml' });
  return result.ok ? [] : result.problems;
}

const BROKEN: readonly (readonly [string, string])[] = [
  ['a: "x', '1:6 the closing `"` is missing'],
  ["a: 'x", "1:6 the closing `'` is missing"],
  ['a: [1, 2', '1:9 the closing `]` is missing, or stands too far to the left'],
  ['a: {b: 1', '1:9 the closing `}` is missing, or stands too far to the left'],
  ['a: [1, 2]]', '1:10 `]` does not belong here'],
  ['a: b: c', '1:4 a value begins a mapping or list in the middle of its line, or does not line up'],
  ['a: - b', '1:4 `-` does not belong here'],
  ['a\nb: 1', '1:1 a key is spread over lines, or its `:` is missing'],
  ['- a\nb: 1', '2:1 `b` does not belong here'],
  ['a: @x', '1:4 a text cannot begin with `@`'],
  ['a: "\\d"', '1:5 `\\d` is no escape in double quotes'],
  ['a: &x &y 1', '1:7 a value has two anchors'],
  ['a: !a !b 1', '1:7 a value has two tags'],
  ['a: *', '1:4 an anchor or alias has no name, or one that ends in `:`'],
  ['a: &b *c', '1:7 an alias has an anchor or a tag of its own'],
  ['a: {b: 1 c: 2}', '1:8 inside `[…]` or `{…}` stands what needs a `,` between, or lines of its own'],
  ['a: {"x" "y"}', '1:9 a `,` or `:` is missing in `[…]` or `{…}`'],
  ['a: [x,,y]', '1:7 `,` does not belong here'],
  ['a: |2\n b', '2:1 this does not line up with the lines above it'],
  ['a: "b"#c', '1:7 a comment touches what stands before it'],
  ['a: 1\nb', '2:1 a key has no value: its `:` is missing'],
  ['x: !<', '1:4 a tag cannot be read'],
  ['--- a: 1', '1:5 a `---` or `%` line is not allowed here'],
  ['a: 1\n%FOO', '2:1 a text cannot begin with `%`'],
  ['a: "x" \u001b[31my', '1:8 `\u{fffd}[31my` does not belong here'],
];

describe('a text that is not yaml', () => {
  it.each(BROKEN)('%j is told in our own words, with its place', (source, expected) => {
    expect(firstOf(source)).toBe(expected);
  });

  it('is told once a line, lowercase, and with what is allowed there', () => {
    for (const [source] of BROKEN) {
      const problems = problemsOf(source).filter(({ code }) => code === 'syntax');
      expect(new Set(problems.map(({ line }) => line)).size, source).toBe(problems.length);
      for (const { message, help } of problems) {
        expect(message).toMatch(/^[`a-z]/);
        expect(help).toMatch(/^[`a-z]/);
        expect(help).not.toBe('correct the yaml there');
      }
    }
  });

  it('is told of in every line', () => {
    expect(problemsOf('a: @x\nb: 1\nc: @y\n').map(({ line, column }) => [line, column])).toEqual([
      [1, 4],
      [3, 4],
    ]);
  });
});
