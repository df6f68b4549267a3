import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileGlob } from './glob.js';
import { alternativesOf, meets } from './meet.js';
import { compilePathGlob, fitsPath, splitRoots, type PathPattern } from './path-glob.js';

// The second reader of patterns is the regular expression of JavaScript.

/** A piece of a glob, and what it is as a regular expression. */
type Piece = readonly [glob: string, regex: string];

/** The pieces that generated globs are made of. */
const PIECES: readonly Piece[] = [
  ['a', 'a'],
  ['b', 'b'],
  ['.', String.raw`\.`],
  ['-', '-'],
  ['😀', '😀'],
  ['*', '[^]*'],
  ['?', '[^]'],
  ['[ab]', '[ab]'],
  ['[!ab]', '[^ab]'],
  ['[a-c]', '[a-c]'],
  ['{a,bb}', '(?:a|bb)'],
  ['{a,}', '(?:a|)'],
  [String.raw`\*`, String.raw`\*`],
  [String.raw`\[`, String.raw`\[`],
  [String.raw`\\`, String.raw`\\`],
];

/** The glob of some pieces, and the regular expression that JavaScript has for it. */
function globOf(pieces: readonly Piece[]): { readonly glob: string; readonly regex: RegExp } {
  return {
    glob: pieces.map(([glob]) => glob).join(''),
    regex: new RegExp(`^${pieces.map(([, regex]) => regex).join('')}$`, 'u'),
  };
}

const ROOTS = splitRoots({ home: '/home/dev', tmp: '/tmp', project: undefined });
const ANY = { isUnder: false, isSure: false };
const [HOLE, STAR, ONE] = ['\uE000', '\uE001', '\uE002'];

function patternOf(source: string): PathPattern {
  const result = compilePathGlob(source);
  if (!result.ok) throw new Error(`${source}: ${result.why}`);
  return result.pattern;
}

it('a glob fits what a regular expression of JavaScript fits', () => {
  const pieces = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 6 });
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', 'c', '.', '-', '😀', '*', '[', '\\', '\n'),
    maxLength: 8,
  });
  fc.assert(
    fc.property(pieces, text, (one, name) => {
      const { glob, regex } = globOf(one);
      const result = compileGlob(glob);
      expect(result.ok, glob).toBe(true);
      if (result.ok) expect(result.test(name), `${glob} ${name}`).toBe(regex.test(name));
    }),
  );
});

it('a pattern of paths fits what a regular expression fits, name by name', () => {
  const segment = fc.oneof(
    { weight: 1, arbitrary: fc.constant('**' as const) },
    {
      weight: 3,
      arbitrary: fc
        .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 3 })
        .filter((pieces) => !['**', '*', '.', '..'].includes(globOf(pieces).glob)),
    },
  );
  const name = fc.string({
    unit: fc.constantFrom('a', 'b', '.', '-', '😀', '*'),
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(
      fc.array(segment, { minLength: 1, maxLength: 5 }),
      fc.array(name, { maxLength: 5 }),
      (all, path) => {
        const source = `/${all.map((one) => (one === '**' ? one : globOf(one).glob)).join('/')}`;
        const regex = all
          .map((one) => (one === '**' ? '(?:/[^/]+)*' : `/(?!/)${globOf(one).regex.source.slice(1, -1)}`))
          .join('')
          .replaceAll('[^]*', '[^/]*')
          .replaceAll('[^]', '[^/]')
          .replaceAll('[^ab]', '[^ab/]');
        const text = path.map((one) => `/${one}`).join('');
        expect(
          fitsPath({ names: path, isMarked: false }, patternOf(source), ROOTS, ANY),
          `${source} ${text}`,
        ).toBe(new RegExp(`^${regex}$`, 'u').test(text));
      },
    ),
  );
});

it('a name with marks meets a glob where trying all names finds one for both', () => {
  const letters = ['a', 'b', '.', '-'];
  const names = letters.flatMap((a) => [
    a,
    ...letters.flatMap((b) => [a + b, ...letters.flatMap((c) => [a + b + c])]),
  ]);
  // A class is taken for any character here: it may meet more, and never less.
  const piece = fc.constantFrom(...PIECES.filter(([glob]) => !glob.includes('[') && !glob.includes('😀')));
  const mark = fc.constantFrom('a', 'b', '.', '-', HOLE, STAR, ONE);
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 4 }),
      fc.array(mark, { minLength: 1, maxLength: 4 }),
      (pieces, marks) => {
        const name = marks.join('');
        const { glob, regex } = globOf(pieces);
        const isHidden = name.startsWith(STAR) || name.startsWith(ONE);
        // Two rules of shells and of sense, with tests of their own above.
        const isOpen = name.endsWith(STAR) && /^(?:\{a,\})*\*.*[^*]/.test(glob);
        fc.pre(!(isHidden && /^[.{*]/.test(glob)) && !isOpen);
        const written = name
          .replaceAll('.', String.raw`\.`)
          .replaceAll(ONE, '[^]')
          .replaceAll(STAR, '[^]*')
          .replaceAll(HOLE, '[^]*');
        const own = new RegExp(`^${written}$`, 'u');
        if (names.some((one) => own.test(one) && regex.test(one)))
          expect(meets(name, alternativesOf(glob)), `${JSON.stringify(name)} ${glob}`).toBe(true);
      },
    ),
  );
});
