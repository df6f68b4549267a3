import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Automaton } from './automaton.js';

const units = (text: string): number[] => Array.from(text, (letter) => letter.charCodeAt(0));

/** The states through which a text leads. */
function through(automaton: Automaton, text: string): number[] {
  let state = 0;
  return units(text).map((unit) => (state = automaton.step(state, unit)));
}

describe('an automaton of texts', () => {
  const few = fc.string({ unit: fc.constantFrom('a', 'b', 'ÿ'), minLength: 1, maxLength: 6 });

  it('knows after each unit the longest text that ends there, and the longest beginning of one', () => {
    fc.assert(
      fc.property(
        fc.array(few, { maxLength: 6 }),
        fc.string({ unit: fc.constantFrom('a', 'b', 'ÿ', 'x'), maxLength: 24 }),
        (texts, searched) => {
          const automaton = new Automaton(texts.map(units));
          through(automaton, searched).forEach((state, at) => {
            const seen = searched.slice(0, at + 1);
            const long = (some: readonly string[]): number =>
              Math.max(0, ...some.map(({ length }) => length));
            const ending = texts.filter((text) => seen.endsWith(text));
            const begun = texts.flatMap((text) =>
              units(text).flatMap((_, index) =>
                seen.endsWith(text.slice(0, index + 1)) ? [text.slice(0, index + 1)] : [],
              ),
            );
            expect(texts[automaton.found[state] ?? -1] ?? '').toHaveLength(long(ending));
            expect(automaton.depth[state]).toBe(long(begun));
            const beginning = texts.filter((text) => text.startsWith(seen.slice(seen.length - long(begun))));
            if (long(begun) > 0)
              expect(texts[automaton.begins[state] ?? -1]).toHaveLength(
                Math.min(...beginning.map(({ length }) => length)),
              );
          });
        },
      ),
    );
  });

  it('names the first of equal texts, and finds nothing where there are none', () => {
    const automaton = new Automaton([units('abc'), units('bc'), units('bc')]);
    expect(through(automaton, 'xbc').map((state) => automaton.found[state])).toEqual([-1, -1, 1]);
    expect(through(new Automaton([]), 'ab')).toEqual([0, 0]);
  });
});
