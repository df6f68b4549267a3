import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ATTACKS, ROW_ATTACKS } from '../../../testing/attacks/all.js';
import { ONE_FILE, placesOf, SEVERAL_FILES, titleOf } from '../../../testing/attacks/attack.js';
import { ELSEWHERE } from '../../../testing/attacks/elsewhere.js';

const GROUNDS = [
  ['in one file', ONE_FILE, ATTACKS],
  ['in several files', SEVERAL_FILES, ROW_ATTACKS],
] as const;

it('every number from 1 to 60 is there', () => {
  const numbers = new Set([...ATTACKS.map(({ number }) => number), ...ELSEWHERE.map(({ number }) => number)]);
  expect([...numbers].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
});

it.each(GROUNDS)(
  'every attack is told apart, and expected at every one of its places, %s',
  (_, ground, attacks) => {
    const { expected } = ground;
    expect(Object.keys(expected).toSorted()).toEqual(attacks.map(titleOf).toSorted());
    for (const attack of attacks) {
      expect({ [titleOf(attack)]: Object.keys(expected[titleOf(attack)]?.found ?? {}).toSorted() }).toEqual({
        [titleOf(attack)]: placesOf(attack, ground).toSorted(),
      });
    }
  },
);

it.each(GROUNDS)('what is not found names its reason, %s', (_, { expected }, attacks) => {
  for (const attack of attacks) {
    const { found = {}, alone = {} } = expected[titleOf(attack)] ?? {};
    const isQuiet = [...Object.values(found), ...Object.values(alone)].some((outcome) =>
      /^(ok|unproven)/.test(outcome),
    );
    expect({ [titleOf(attack)]: attack.because !== undefined }).toEqual({ [titleOf(attack)]: isQuiet });
  }
});

it.each(ELSEWHERE)('number $number is carried out in $file, test by test', ({ file, tests }) => {
  const text = readFileSync(fileURLToPath(new URL(`../../../../../${file}`, import.meta.url)), 'utf8');
  expect(tests.filter((name) => !text.includes(`'${name}'`))).toEqual([]);
  expect(text).not.toMatch(/\.(?:skip|only|todo)\b/);
});
