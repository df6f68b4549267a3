import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';

const policyOf = (names: object): string =>
  JSON.stringify({
    policy_id: 'many',
    version: '1',
    mode: 'guardrails',
    defaults: { decision_on_error: 'BLOCK' },
    selectors: {},
    rules: [
      {
        rule_id: 'no',
        kind: 'deny',
        enabled: true,
        severity: 'warn',
        match: { tool_name: names },
        effect: { action: 'BLOCK', reason_code: 'NO', message: '' },
      },
    ],
  });

describe('the patterns of a policy', () => {
  it.each([
    ['regexes', { regex: Array.from({ length: 4000 }, (_, at) => `.{0,999}${at}`) }],
    [
      'regexes that are too large each',
      { regex: Array.from({ length: 1000 }, (_, at) => `(a|b|c${at}){0,600}x`) },
    ],
    ['globs', { glob: Array.from({ length: 9000 }, (_, at) => `${'{a,b,c}*'.repeat(30)}${at}`) }],
  ])('may compile to so much together: %s', (_, names) => {
    const compiled = compilePolicy(policyOf(names));
    const problems = compiled.ok ? [] : compiled.problems;
    expect(problems.at(-1)).toMatchObject({
      code: 'pattern_too_large',
      message: 'all patterns together compile to more than 262144 steps',
    });
  });

  it('count once, however many rules have the same', () => {
    const regex = Array.from({ length: 1000 }, () => '.{0,999}a');
    expect(compilePolicy(policyOf({ regex })).ok).toBe(true);
  });
});
