import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { placesOf, titleOf } from '../../../testing/attacks/attack.js';
import { ELSEWHERE } from '../../../testing/attacks/elsewhere.js';
import { ENTRY_ATTACKS } from '../../../testing/attacks/entries.js';
import { EXPECTED } from '../../../testing/attacks/expected.js';
import { FILE_ATTACKS } from '../../../testing/attacks/files.js';
import { HEAD_ATTACKS } from '../../../testing/attacks/heads.js';
import { PAIR_ATTACKS } from '../../../testing/attacks/pairs.js';
import { SEAL_ATTACKS } from '../../../testing/attacks/seals.js';
import { STORAGE_ATTACKS } from '../../../testing/attacks/storage.js';

const ATTACKS = [
  ...ENTRY_ATTACKS,
  ...SEAL_ATTACKS,
  ...STORAGE_ATTACKS,
  ...HEAD_ATTACKS,
  ...PAIR_ATTACKS,
  ...FILE_ATTACKS,
];

it('every number from 1 to 60 is there', () => {
  const numbers = new Set([...ATTACKS.map(({ number }) => number), ...ELSEWHERE.map(({ number }) => number)]);
  expect([...numbers].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
});

it('every attack is told apart, and expected at every one of its places', () => {
  expect(Object.keys(EXPECTED).toSorted()).toEqual(ATTACKS.map(titleOf).toSorted());
  for (const attack of ATTACKS) {
    expect({ [titleOf(attack)]: Object.keys(EXPECTED[titleOf(attack)]?.found ?? {}).toSorted() }).toEqual({
      [titleOf(attack)]: placesOf(attack).toSorted(),
    });
  }
});

it('what is not found names its reason', () => {
  for (const attack of ATTACKS) {
    const { found = {}, alone = {} } = EXPECTED[titleOf(attack)] ?? {};
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
