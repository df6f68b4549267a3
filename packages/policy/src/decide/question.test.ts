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

describe('a budget that asks', () => {
  const budgetOf = (effect: object): object =>
    rule('three', 'budget', {}, { budget: { scope: 'server_tool', on_exceed: 'ASK', ...effect } });
  const THREE = budgetOf({ limit_calls: 3, hint_text: 'stop here' });

  /** The answer to the next call after so many that were counted. */
  function after(count: number, options = {}, call = callOf(), rules = [THREE], mode = 'control') {
    const snapshot = snapshotOf(rules, mode);
    const state = PolicyState.empty();
    for (let at = 0; at < count; at += 1) {
      const waivers = [{ rule_id: 'three', server_name: 'git', tool_name: 'push', args_hash: null }];
      state.apply(decide(snapshot, state, callOf(), 0, { waivers }).charge, 0);
    }
    return decide(snapshot, state, call, 0, { canAsk: true, ...options });
  }
  const raise = (more: object = {}) => ({
    rule_id: 'three',
    server_name: 'git',
    tool_name: 'push',
    ...more,
  });

  it('lets calls pass until its limit, and then has a person asked, for nothing', () => {
    expect(after(2).effective.action).toBe('ALLOW');
    const { asks, charge, effective } = after(3);
    expect({ asks, charge, ...effective }).toMatchObject({
      asks: 'three',
      charge: [],
      action: 'REJECT_WITH_HINT',
      rule_id: 'three',
      reason_code: 'APPROVAL_REQUIRED',
      summary: 'rule `three`: at most 3 calls of a tool of one server in a run, and no more are left',
      hint: { hint_kind: 'SAFETY', hint_text: expect.stringContaining('or do without it: stop here') },
    });
  });

  it('counts the call that passes by a yes', () => {
    const waivers = [{ rule_id: 'three', server_name: 'git', tool_name: 'push', args_hash: 'h' }];
    const { asks, charge, effective } = after(3, { waivers });
    expect([asks, effective.action, charge.length]).toEqual([undefined, 'ALLOW', 1]);
  });

  it.each([
    ['once more', 5, [raise()], 'ALLOW'],
    ['and no more than that', 6, [raise()], 'REJECT_WITH_HINT'],
    ['as often as a person said yes', 8, [raise(), raise()], 'ALLOW'],
    ['for no other tool', 3, [raise({ tool_name: 'pull' })], 'REJECT_WITH_HINT'],
    ['for no other server', 3, [raise({ server_name: 'hub' })], 'REJECT_WITH_HINT'],
    ['for no other rule', 3, [raise({ rule_id: 'other' })], 'REJECT_WITH_HINT'],
  ] as const)('with a yes for the run holds its limit %s', (_how, count, raises, action) => {
    expect(after(count, { raises }).effective.action).toBe(action);
  });

  it('that counts all calls together is raised for all of them', () => {
    const run = budgetOf({ scope: 'run', limit_calls: 3 });
    const raises = [raise({ tool_name: 'pull', server_name: 'hub' })];
    expect(after(3, { raises }, callOf(), [run]).effective.action).toBe('ALLOW');
  });

  it('of costs says what the call costs, and a yes adds the limit once more', () => {
    const costs = budgetOf({ scope: 'run', limit_cost_units: 100, cost_units_from: 'amount' });
    const paying = (amount: number) => callOf({ args: { amount } });
    expect(after(0, {}, paying(101), [costs]).effective).toMatchObject({
      reason_code: 'APPROVAL_REQUIRED',
      summary: 'rule `three`: at most 100 cost units in a run: 0 used, and this call costs 101',
    });
    expect(after(0, { raises: [raise()] }, paying(200), [costs]).effective.action).toBe('ALLOW');
    expect(after(0, { raises: [raise()] }, paying(201), [costs]).asks).toBe('three');
  });

  it('asks nobody about a call that does not say what it costs', () => {
    const costs = budgetOf({ scope: 'run', limit_cost_units: 100, cost_units_from: 'amount' });
    const { asks, effective } = after(0, {}, callOf(), [costs]);
    expect([asks, effective.action, effective.reason_code]).toEqual([undefined, 'BLOCK', 'COST_UNKNOWN']);
  });

  it.each([
    ['in guardrails it blocks', 'guardrails', {}, 'BLOCK'],
    ['in observe it lets the call pass', 'observe', {}, 'ALLOW'],
    ['where nobody can be asked it blocks', 'control', { canAsk: false }, 'BLOCK'],
  ])('%s', (_what, mode, options, action) => {
    const { asks, effective } = after(3, options, callOf(), [THREE], mode);
    expect([asks, effective.action, effective.reason_code]).toEqual([undefined, action, 'APPROVAL_REQUIRED']);
  });

  it('asks nobody about what a rule below refuses', () => {
    const deny = rule('no', 'deny', {}, { action: 'BLOCK', reason_code: 'NO', message: 'no' });
    const { asks, effective } = after(3, {}, callOf(), [THREE, deny]);
    expect([asks, effective.rule_id]).toEqual([undefined, 'no']);
  });

  it('is explained with what it has counted, and with what a person has added', () => {
    const snapshot = snapshotOf([THREE]);
    const { trace } = explain(snapshot, PolicyState.empty(), callOf(), 0, {
      canAsk: true,
      raises: [raise()],
    });
    expect(trace[0]).toMatchObject({ outcome: 'counted', meter: { used: 0, limit: 6, unit: 'calls' } });
  });
});
