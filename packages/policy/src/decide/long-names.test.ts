import { expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';
import { PolicyState } from '../meter/policy-state.js';
import { decide } from './decide.js';

const bundle = {
  policy_id: 'p',
  version: '1',
  mode: 'guardrails',
  defaults: { decision_on_error: 'BLOCK' },
  selectors: {},
  rules: [
    {
      rule_id: 'twice',
      kind: 'dedupe',
      enabled: true,
      severity: 'warn',
      match: { tool_name: { glob: ['*'] } },
      effect: {
        dedupe: { scope: 'server_tool', window_ms: 50, key: 'args_hash', on_duplicate: 'BLOCK' },
      },
    },
  ],
};

it('names however long are told apart, and stand in keys by their beginning and a hash', () => {
  const compiled = compilePolicy(JSON.stringify(bundle));
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  const state = PolicyState.empty();
  const identity = { agent_id: 'agent', client: 'claude', env: 'dev' } as const;
  const asked = (tool_name: string): unknown => {
    const call = { server_name: 's'.repeat(500), tool_name, args: {}, args_hash: 'h', identity };
    const { decision, charge } = decide(compiled.snapshot, state, call, 1);
    state.apply(charge, 1);
    expect(JSON.stringify(charge).length).toBeLessThan(700);
    return decision.action;
  };
  expect([asked(`${'n'.repeat(500)}1`), asked(`${'n'.repeat(500)}2`), asked(`${'n'.repeat(500)}1`)]).toEqual([
    'ALLOW',
    'ALLOW',
    'BLOCK',
  ]);
});
