import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alternativesOf, meets } from './meet.js';
import { globOf, PIECES } from './second-reader.js';

const [HOLE, STAR, ONE] = ['\uE000', '\uE001', '\uE002'];

describe('a name with marks and a glob', () => {
  it.each([
    [`id_${STAR}`, 'id_rsa'],
    [`${ONE}${ONE}_rsa`, 'id_rsa'],
    [`i${HOLE}a`, 'id_{rsa,dsa}'],
    [`a${STAR}.pem`, '*.pem'],
    [`.s${STAR}`, '.ssh'],
    [`a${HOLE}`, '*'],
  ])('%j and %s share a name', (name, glob) => {
    expect(meets(name, alternativesOf(glob))).toBe(true);
  });

  it.each([
    [`id_${STAR}`, 'key_rsa'],
    [`${ONE}_rsa`, 'id_rsa'],
    [`${STAR}sh`, '.ssh'],
    [`${ONE}ssh`, '.ssh'],
    [`a${STAR}`, '*.pem'],
    [`a${STAR}b`, 'a'],
  ])('%j and %s share none', (name, glob) => {
    expect(meets(name, alternativesOf(glob))).toBe(false);
  });

  it('what has too many alternatives, or takes too long, is taken to share one', () => {
    expect(alternativesOf('{a,b}'.repeat(7))).toBeUndefined();
    expect(meets('a', undefined)).toBe(true);
    expect(meets(`${`a${STAR}`.repeat(200)}b`, alternativesOf('x'.repeat(400)))).toBe(true);
  });

  it('share a name where trying all names finds one', () => {
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
          fc.pre(!(isHidden && /^[.{*]/.test(glob)) && !(name.endsWith(STAR) && glob.startsWith('*')));
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
});
