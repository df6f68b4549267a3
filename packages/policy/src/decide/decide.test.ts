import type { JsonObject } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { BUILTIN_OBSERVE } from '../builtin.js';
import { compilePolicy } from '../compile.js';
import type { PolicyCall } from '../match/call.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import { PolicyState } from '../meter/policy-state.js';
import { decide, type DecideResult, explain } from './decide.js';
import type { TraceStep } from './trace.js';

const identity = { agent_id: 'agent', client: 'claude', env: 'dev' } as const;

function snapshotOf(parts: object): PolicySnapshot {
  const frame = {
    policy_id: 'test',
    version: '1',
    mode: 'guardrails',
    defaults: { decision_on_error: 'BLOCK' },
  };
  const result = compilePolicy(JSON.stringify({ ...frame, selectors: {}, rules: [], ...parts }));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
}

function deny(rule_id: string, match: object): object {
  const effect = { action: 'BLOCK', reason_code: 'DENYLIST_MATCH', message: 'not allowed here' };
  return { rule_id, kind: 'deny', enabled: true, severity: 'critical', match, effect };
}

function callOf(tool_name: string, args: JsonObject | undefined = {}): PolicyCall {
  return { server_name: 'github', tool_name, args, args_hash: 'hash', identity };
}

const ask = (
  snapshot: PolicySnapshot,
  call: PolicyCall,
): DecideResult & { readonly trace: readonly TraceStep[] } => explain(snapshot, PolicyState.empty(), call, 0);

describe('observe mode', () => {
  const observe = snapshotOf({
    mode: 'observe',
    rules: [deny('no-delete', { tool_name: { glob: ['delete_*'] } })],
  });

  it('decides as guardrails would and enforces an allow that tells so', () => {
    const { decision, effective } = ask(observe, callOf('delete_x'));
    expect(decision).toEqual({
      action: 'BLOCK',
      rule_id: 'no-delete',
      severity: 'critical',
      reason_code: 'DENYLIST_MATCH',
      summary: 'not allowed here',
    });
    expect(effective).toEqual({
      action: 'ALLOW',
      rule_id: 'no-delete',
      severity: 'critical',
      reason_code: 'DENYLIST_MATCH',
      summary: 'observe: would have blocked: not allowed here',
    });
  });
});

describe('a rule that fails', () => {
  const rules = [
    { ...deny('fragile', { args: { key_equals: { boom: 1 } } }) },
    deny('later', { tool_name: { glob: ['*'] } }),
  ];
  const args: JsonObject = {
    get boom(): never {
      throw new RangeError('secret value');
    },
  };

  it('blocks where the policy blocks on errors, and no later rule is asked', () => {
    const { decision, effective, trace } = ask(snapshotOf({ rules }), callOf('x', args));
    expect(decision).toMatchObject({ action: 'BLOCK', rule_id: 'fragile', reason_code: 'RULE_ERROR' });
    expect(effective).toBe(decision);
    expect(trace).toEqual([
      { rule_id: 'fragile', kind: 'deny', outcome: 'error', note: 'RangeError' },
      { rule_id: 'later', kind: 'deny', outcome: 'not_asked' },
    ]);
  });

  it('allows where the policy allows on errors', () => {
    const { effective } = ask(
      snapshotOf({ defaults: { decision_on_error: 'ALLOW' }, rules }),
      callOf('x', args),
    );
    expect(effective).toMatchObject({ action: 'ALLOW', rule_id: 'fragile', reason_code: 'RULE_ERROR' });
  });

  it('keeps the message of the error, which may quote an argument, out of decision and trace', () => {
    expect(JSON.stringify(ask(snapshotOf({ rules }), callOf('x', args)))).not.toContain('secret value');
  });
});

describe('selectors', () => {
  const selectors = {
    env: ['ci', 'dev'],
    agent_id: ['builder'],
    workload: { repo: ['acme/shop'], labels: { team: 'shop', tier: 'one' } },
  };
  const snapshot = snapshotOf({ selectors });
  const labels = { team: 'shop', tier: 'one', other: 'x' };
  const builder = { ...identity, agent_id: 'builder', workload: { repo: 'acme/shop', labels } };

  it.each([
    ['all fields match', builder, true],
    ['one field does not', { ...builder, env: 'prod' as const }, false],
    ['another agent', { ...builder, agent_id: 'Builder' }, false],
    ['no workload is known', { ...identity, agent_id: 'builder' }, false],
    ['a label is missing', { ...builder, workload: { repo: 'acme/shop', labels: { team: 'shop' } } }, false],
    [
      'a label differs',
      { ...builder, workload: { repo: 'acme/shop', labels: { ...labels, tier: 'two' } } },
      false,
    ],
  ])('are and between fields, or within a list: %s', (_name, who, expected) => {
    const { reason_code: code } = ask(snapshot, { ...callOf('x'), identity: who }).effective;
    expect(code).toBe(expected ? 'NO_MATCH_ALLOWED' : 'NO_POLICY_APPLIES');
  });

  it('that do not match block even when nobody asked them before deciding', () => {
    const { decision, effective, trace } = ask(snapshotOf({ selectors, mode: 'observe' }), callOf('x'));
    expect(effective).toEqual({
      action: 'BLOCK',
      rule_id: null,
      severity: 'critical',
      reason_code: 'NO_POLICY_APPLIES',
      summary: 'no policy applies to this agent',
    });
    expect(decision).toEqual(effective);
    expect(trace).toEqual([
      { rule_id: null, kind: 'selectors', outcome: 'blocked', note: 'NO_POLICY_APPLIES' },
    ]);
  });

  it('that are omitted match everyone', () => {
    expect(ask(snapshotOf({}), callOf('x')).effective.action).toBe('ALLOW');
  });
});

describe('a snapshot with a word that no compiler writes', () => {
  const snapshot = snapshotOf({ rules: [deny('no', {})] });

  it('decides nothing when its mode is unknown', () => {
    const forged: PolicySnapshot = { ...snapshot, mode: JSON.parse('"permissive"') };
    expect(() => ask(forged, callOf('x'))).toThrow(expect.objectContaining({ code: 'policy_invalid' }));
  });

  it('decides nothing when a kind is unknown', () => {
    const rules = snapshot.rules.map((rule) => ({ ...rule, kind: JSON.parse('"permit"') }));
    expect(() => ask({ ...snapshot, rules }, callOf('x'))).toThrow(
      expect.objectContaining({ code: 'policy_invalid' }),
    );
  });
});

describe('a decision', () => {
  it('has a trace that explains every rule that was asked', () => {
    const snapshot = snapshotOf({
      rules: [
        { ...deny('off', {}), enabled: false },
        { ...deny('writes', {}), kind: 'tag', effect: { tag: { add_risk_class: ['write_like'] } } },
        {
          ...deny('small', { args: { numeric_range: { amount: { max: 5 } } } }),
          kind: 'allow',
          effect: { action: 'ALLOW', reason_code: 'SMALL', message: '' },
        },
        deny('other', { tool_name: { glob: ['delete_*'] } }),
      ],
    });
    const amount = 'args.numeric_range.amount';
    expect(ask(snapshot, callOf('pay', { amount: 6 })).trace).toMatchObject([
      { rule_id: 'off', kind: 'deny', outcome: 'disabled' },
      { rule_id: 'writes', kind: 'tag', outcome: 'tagged', note: expect.stringContaining('write_like') },
      { rule_id: 'small', kind: 'allow', outcome: 'not_matched', field: amount },
      { rule_id: 'other', kind: 'deny', outcome: 'not_matched', field: 'tool_name' },
      { rule_id: null, kind: 'default', outcome: 'allowed', note: 'NO_MATCH_ALLOWED' },
    ]);
    expect(ask(snapshot, { ...callOf('pay'), args: undefined }).trace[2]).toMatchObject({
      rule_id: 'small',
      outcome: 'not_inspected',
      field: amount,
    });
  });

  it('names its rule where the rule has no message', () => {
    const rule = { ...deny('silent', {}), effect: { action: 'BLOCK', reason_code: 'NO', message: '' } };
    expect(ask(snapshotOf({ rules: [rule] }), callOf('x')).decision.summary).toBe(
      'rule `silent` blocks this call',
    );
  });

  it('leaves the state as it came and cannot be changed through what it returns', () => {
    const snapshot = snapshotOf({ rules: [deny('no', {})] });
    const state = PolicyState.empty();
    const result = decide(snapshot, state, callOf('x'), 5);
    expect(state.toJSON()).toEqual(PolicyState.empty().toJSON());
    expect(Object.isFrozen(result.effective)).toBe(true);
    expect(Object.isFrozen(snapshot.rules)).toBe(true);
    expect(Object.isFrozen(snapshot.plain.rules[0])).toBe(true);
  });
});

describe('the built-in bundle', () => {
  it('observes and allows', () => {
    expect(BUILTIN_OBSERVE).toMatchObject({ policy_id: 'builtin-observe', mode: 'observe' });
    expect(ask(BUILTIN_OBSERVE, callOf('anything')).effective).toMatchObject({
      action: 'ALLOW',
      reason_code: 'NO_MATCH_ALLOWED',
    });
  });

  it('has a hash that changes only with what it decides', () => {
    expect(BUILTIN_OBSERVE.policy_hash).toBe(
      'db4c61dc995e2b8fc80d96f63a6a10f4917e56c9e18f74914855d146c114bda8',
    );
  });
});
