import { compilePolicy } from '@subluminal/policy';
import { describe, expect, it } from 'vitest';
import { readVectors } from './vector-file.js';

const { valid, invalid } = readVectors('policy-bundles');

/** What Contract B knows and this version does not enforce: a bundle that asks for it must not load. */
const LATER: Readonly<Record<string, string>> = {
  'a custom key, blocked': 'rules[0].effect.dedupe.key',
};

/** What the compiler of the product says of a bundle. */
function problems(bundle: unknown): string[] {
  const result = compilePolicy(JSON.stringify(bundle), { filename: 'policy.json' });
  return result.ok ? [] : result.problems.map(({ code, path }) => `${code} ${path}`);
}

describe('a bundle of the contract', () => {
  it.each(valid)('of the kind $kind loads, or says what is not available: $name', ({ name, value }) => {
    const later = LATER[name];
    expect(problems(value)).toEqual(later === undefined ? [] : [`not_available ${later}`]);
  });

  it.each(invalid)('of the kind $kind does not load: $name', ({ value }) => {
    expect(problems(value)).not.toEqual([]);
  });
});
