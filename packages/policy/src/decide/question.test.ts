import { describe, expect, it, test } from 'vitest';
import { compilePolicy } from '../compile.js';
import type { PolicyCall } from '../match/call.js';
import { PolicyState } from '../meter/policy-state.js';
import { decide, explain } from './decide.js';

const ASK = rule(
  'ask-push',
  'ask',
  { tool_name: { glob: ['push'] } },
  { action: 'ASK', message: 'pushes are asked about' },
);

function rule(rule_id: string, kind: string, match: object, effect: object): object {
  return { rule_id, kind, enabled: true, severity: 'warn', match, effect };
}

function snapshotOf(rules: readonly object[], mode = 'control') {
  const frame = {
    policy_id: 'p',
    version: '1',
    mode,
    defaults: { decision_on_error: 'BLOCK' },
    selectors: {},
  };
  const result = compilePolicy(JSON.stringify({ ...frame, rules }));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
}

function callOf(more: Partial<PolicyCall> = {}, env: 'ci' | 'dev' = 'dev'): PolicyCall {
  const identity = { agent_id: 'a', client: 'claude', env } as const;
  return { server_name: 'git', tool_name: 'push', args: {}, args_hash: 'h', identity, ...more };
}

const answer = (rules: readonly object[], options = {}, call = callOf(), mode = 'control') =>
  decide(snapshotOf(rules, mode), PolicyState.empty(), call, 0, { canAsk: true, ...options });
const YES = { waivers: [{ rule_id: 'ask-push', server_name: 'git', tool_name: 'push', args_hash: 'h' }] };

describe('a rule that asks', () => {
  it('refuses in control, for as long as nobody has answered, and names itself', () => {
    expect(answer([ASK])).toMatchObject({
      asks: 'ask-push',
      effective: {
        action: 'REJECT_WITH_HINT',
        rule_id: 'ask-push',
        reason_code: 'APPROVAL_REQUIRED',
        summary: 'pushes are asked about',
        hint: { hint_kind: 'SAFETY' },
      },
    });
  });

  it('blocks in guardrails, and asks nobody', () => {
    const decided = answer([ASK], {}, callOf(), 'guardrails');
    expect(decided.asks).toBeUndefined();
    expect(decided.effective).toMatchObject({ action: 'BLOCK', reason_code: 'APPROVAL_REQUIRED' });
  });

  it('lets the call pass in observe, and says that somebody would have been asked', () => {
    const decided = answer([ASK], {}, callOf(), 'observe');
    expect(decided.asks).toBeUndefined();
    expect(decided.effective).toMatchObject({
      action: 'ALLOW',
      summary: 'observe: would have asked: pushes are asked about',
    });
    expect(decided.decision).toMatchObject({ action: 'BLOCK', reason_code: 'APPROVAL_REQUIRED' });
  });

  test.each([
    ['where nobody is said to be there', { canAsk: false }, callOf()],
    ['where it is not said', { canAsk: undefined }, callOf()],
    ['in a CI job', {}, callOf({}, 'ci')],
  ])('blocks %s', (_name, options, call) => {
    expect(answer([ASK], options, call).effective).toMatchObject({
      action: 'BLOCK',
      reason_code: 'APPROVAL_REQUIRED',
      summary: 'pushes are asked about; nobody can be asked here',
    });
  });

  it('is taken out by a yes, and everything below it still decides', () => {
    expect(answer([ASK], YES).effective.action).toBe('ALLOW');
    const deny = rule('no-push', 'deny', {}, { action: 'BLOCK', reason_code: 'NO', message: 'no' });
    expect(answer([ASK, deny], YES).effective).toMatchObject({ action: 'BLOCK', rule_id: 'no-push' });
    const budget = rule(
      'none',
      'budget',
      {},
      { budget: { scope: 'run', limit_calls: 0, on_exceed: 'BLOCK' } },
    );
    expect(answer([ASK, budget], YES).effective).toMatchObject({ action: 'BLOCK', rule_id: 'none' });
  });

  it('asks nobody about what a deny or a limit refuses anyway', () => {
    const deny = rule('no-push', 'deny', {}, { action: 'BLOCK', reason_code: 'NO', message: 'no' });
    expect(answer([ASK, deny])).toMatchObject({ asks: undefined, effective: { rule_id: 'no-push' } });
  });

  it('asks nobody about what an allow above it lets pass', () => {
    const allow = rule('mine', 'allow', {}, { action: 'ALLOW', reason_code: 'OK', message: '' });
    expect(answer([allow, ASK])).toMatchObject({ asks: undefined, effective: { action: 'ALLOW' } });
    const lifts = rule(
      'mine',
      'allow',
      {},
      { action: 'ALLOW', reason_code: 'OK', message: '', overrides: ['ask-push'] },
    );
    expect(answer([lifts, ASK]).effective.action).toBe('ALLOW');
  });

  it('charges nothing while it asks, and once when a yes lets the call pass', () => {
    const budget = rule(
      'ten',
      'budget',
      {},
      { budget: { scope: 'run', limit_calls: 10, on_exceed: 'BLOCK' } },
    );
    expect(answer([ASK, budget]).charge).toEqual([]);
    expect(answer([ASK, budget], YES).charge).toHaveLength(1);
  });

  it('asks where arguments were not inspected', () => {
    const keyed = rule('ask-push', 'ask', { args: { has_keys: ['force'] } }, { action: 'ASK', message: 'm' });
    expect(answer([keyed], {}, callOf({ args: undefined })).asks).toBe('ask-push');
    expect(answer([keyed]).effective.action).toBe('ALLOW');
  });

  it('is told by explain', () => {
    const { trace } = explain(snapshotOf([ASK]), PolicyState.empty(), callOf(), 0, { canAsk: true });
    expect(trace).toEqual([{ rule_id: 'ask-push', kind: 'ask', outcome: 'asks' }]);
  });
});
