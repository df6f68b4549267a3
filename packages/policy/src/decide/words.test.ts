import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';
import type { PolicyCall } from '../match/call.js';
import { PolicyState } from '../meter/policy-state.js';
import { decide, type DecideResult } from './decide.js';

const SHAPES = {
  budget: { scope: 'run', limit_calls: 1, on_exceed: 'REJECT_WITH_HINT' },
  rate_limit: {
    scope: 'tool',
    capacity: 1,
    refill_tokens: 1,
    refill_period_ms: 2000,
    on_limit: 'REJECT_WITH_HINT',
  },
  breaker: {
    scope: 'server_tool',
    error_threshold: 0,
    window_ms: 1,
    repeat_threshold: 1,
    repeat_window_ms: 60_000,
    on_trip: 'REJECT_WITH_HINT',
  },
  dedupe: { scope: 'run', window_ms: 1500, key: 'args_hash', on_duplicate: 'REJECT_WITH_HINT' },
};

/** The second of two equal calls, half a second after the first. */
function second(kind: keyof typeof SHAPES, fields: object = {}): DecideResult['decision'] {
  const effect = { [kind]: { ...SHAPES[kind], ...fields } };
  const rule = { rule_id: 'limit', kind, enabled: true, severity: 'warn', match: {}, effect };
  const frame = { policy_id: 'p', version: '1', mode: 'control', defaults: { decision_on_error: 'BLOCK' } };
  const result = compilePolicy(JSON.stringify({ ...frame, selectors: {}, rules: [rule] }));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const identity = { agent_id: 'agent', client: 'claude', env: 'dev' } as const;
  const call: PolicyCall = { server_name: 's', tool_name: 't', args: {}, args_hash: 'h', identity };
  const state = PolicyState.empty();
  state.apply(decide(result.snapshot, state, call, 0).charge, 0);
  return decide(result.snapshot, state, call, 500).decision;
}

describe('the hint of a limit', () => {
  it.each<[keyof typeof SHAPES, object]>([
    [
      'budget',
      {
        hint_text: 'at most 1 call in a run, and no more are left',
        retry_advice: 'nothing of it comes back in this run',
        hint_kind: 'BUDGET',
      },
    ],
    [
      'rate_limit',
      {
        hint_text: 'at most 1 token of a tool in a run, and 1 more every 2 s',
        retry_advice: 'try again in 1500 ms',
        hint_kind: 'RATE',
      },
    ],
    [
      'breaker',
      {
        hint_text:
          'the same call was made 1 time within 1 min: it will not give another result, do something else',
        retry_advice: 'try again in 59500 ms',
        hint_kind: 'OTHER',
      },
    ],
    [
      'dedupe',
      {
        hint_text:
          'the same call was let through less than 1500 ms ago: use its result instead of making it again',
        retry_advice: 'if it is meant to happen twice, try again in 1 s',
        hint_kind: 'OTHER',
      },
    ],
  ])('of kind %s says what is used up and when to come back', (kind, hint) => {
    expect(second(kind).hint).toEqual({ ...hint, suggested_args: null });
  });

  it('is what the rule says, where it says something', () => {
    const own = {
      hint_text: 'slower',
      retry_advice: 'tomorrow',
      hint_kind: 'SAFETY',
      suggested_args: { a: 1 },
    };
    for (const kind of ['budget', 'rate_limit', 'breaker', 'dedupe'] as const) {
      expect(second(kind, own).hint).toEqual({ ...own, suggested_args: { a: 1 } });
    }
  });

  it('names no command, which an agent could try to run', () => {
    for (const kind of ['budget', 'rate_limit', 'breaker', 'dedupe'] as const) {
      expect(JSON.stringify(second(kind))).not.toMatch(/\bsub\b|operator|policy/);
    }
  });
});
