import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { byFirstWord, firstWord, PatternPool } from './pool.js';

const piece = fc.constantFrom('a', 'b', ' ', ' ', '*', '?', '[ab]', '{a,b c}', '{,a}', '-f');
const glob = fc
  .array(piece, { minLength: 1, maxLength: 6 })
  .map((pieces) => pieces.join(''))
  .filter((source) => source !== '{,a}');
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', '-', 'f'), maxLength: 8 });

it('globs by first words fit the same texts, and none that begins with another word', () => {
  fc.assert(
    fc.property(fc.array(glob, { minLength: 1, maxLength: 5 }), text, (globs, name) => {
      const names = new PatternPool().names({ glob: globs });
      const { test, words } = byFirstWord(names);
      expect(test(name), `${JSON.stringify(globs)} ${name}`).toBe(names.test(name));
      if (words !== undefined && names.test(name)) expect(words).toContain(firstWord(name));
    }),
    { numRuns: 2000 },
  );
});
