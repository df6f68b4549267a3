import { compilePolicy } from '@subluminal/policy';
import { describe, expect, it } from 'vitest';
import { readVectors } from './vector-file.js';

const { valid, invalid } = readVectors('policy-bundles');

/** What Contract B knows and this version does not enforce: a bundle that asks for it must not load. */
const LATER: Readonly<Record<string, string>> = {
  budget: 'rules[0].kind',
  rate_limit: 'rules[0].kind',
  breaker: 'rules[0].kind',
  dedupe: 'rules[0].kind',
  'control mode': 'mode',
  'every top-level field and every selector': 'defaults.fail_open_read_tools',
  'every matcher': 'rules[0].match.time',
};

/** What the compiler of the product says of a bundle. */
function problems(bundle: unknown): string[] {
  const result = compilePolicy(JSON.stringify(bundle), { filename: 'policy.json' });
  return result.ok ? [] : result.problems.map(({ code, path }) => `${code} ${path}`);
}

describe('a bundle of the contract', () => {
  it.each(valid)('of the kind $kind loads, or says what is not available: $name', ({ kind, name, value }) => {
    const later = LATER[kind] ?? LATER[name];
    expect(problems(value)).toEqual(later === undefined ? [] : [`not_available ${later}`]);
  });

  it.each(invalid)('of the kind $kind does not load: $name', ({ value }) => {
    expect(problems(value)).not.toEqual([]);
  });
});
