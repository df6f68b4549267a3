import type { JsonObject } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';
import type { PolicyCall } from '../match/call.js';
import { PolicyState } from '../meter/policy-state.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import { decide, type DecideOptions, type DecideResult } from './decide.js';

const identity = { agent_id: 'agent', client: 'claude', env: 'dev' } as const;

function snapshotOf(rules: readonly object[], parts: object = {}): PolicySnapshot {
  const written = rules.map((rule, at) => {
    return { rule_id: `r${at}`, enabled: true, severity: 'warn', match: {}, ...rule };
  });
  const defaults = { decision_on_error: 'BLOCK' };
  const frame = { policy_id: 'test', version: '1', mode: 'guardrails', defaults, selectors: {} };
  const result = compilePolicy(JSON.stringify({ ...frame, rules: written, ...parts }));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
}

/** Decides calls one after the other, as a gateway does. */
class Gateway {
  readonly state = PolicyState.empty();
  readonly #snapshot: PolicySnapshot;

  constructor(rules: readonly object[], parts: object = {}) {
    this.#snapshot = snapshotOf(rules, parts);
  }

  ask(tool: string, args: JsonObject | undefined = {}, now = 0, options: DecideOptions = {}): DecideResult {
    const args_hash = JSON.stringify(args) ?? 'unseen';
    const call: PolicyCall = { server_name: 's', tool_name: tool, args, args_hash, identity };
    const result = decide(this.#snapshot, this.state, call, now, options);
    this.state.apply(result.charge, now);
    return result;
  }

  /** Actions, or reasons where a call is refused. */
  say(tool: string, args: JsonObject | undefined = {}, now = 0, options: DecideOptions = {}): string {
    const { action, reason_code } = this.ask(tool, args, now, options).decision;
    return action === 'ALLOW' ? action : `${action} ${reason_code}`;
  }
}

function budget(fields: object): object {
  return { kind: 'budget', effect: { budget: { scope: 'run', on_exceed: 'BLOCK', ...fields } } };
}

describe('a budget', () => {
  it('refuses a call that goes over it, and charges it nothing', () => {
    const gateway = new Gateway([budget({ limit_cost_units: 500, cost_units_from: 'amount' })]);
    expect(gateway.say('pay', { amount: 450 })).toBe('ALLOW');
    expect(gateway.say('pay', { amount: 100 })).toBe('BLOCK BUDGET_EXCEEDED');
    expect(gateway.say('pay', { amount: '50.00' })).toBe('ALLOW');
    expect(gateway.say('pay', { amount: 0.000001 })).toBe('BLOCK BUDGET_EXCEEDED');
    expect(gateway.say('pay', { amount: 0 })).toBe('ALLOW');
  });

  it.each([[undefined], [{}], [{ amount: -1 }], [{ amount: '1e3' }], [{ amount: [1] }]])(
    'refuses what it cannot count: %j',
    (args) => {
      const gateway = new Gateway([budget({ limit_cost_units: 500, cost_units_from: 'amount' })]);
      const call: PolicyCall = { server_name: 's', tool_name: 'pay', args, args_hash: 'h', identity };
      const snapshot = snapshotOf([budget({ limit_cost_units: 500, cost_units_from: 'amount' })]);
      expect(decide(snapshot, gateway.state, call, 0).decision.reason_code).toBe('COST_UNKNOWN');
    },
  );

  it('counts tools apart where its scope is the tool', () => {
    const gateway = new Gateway([budget({ scope: 'tool', limit_calls: 1 })]);
    expect([gateway.say('a'), gateway.say('b'), gateway.say('a')]).toEqual([
      'ALLOW',
      'ALLOW',
      'BLOCK BUDGET_EXCEEDED',
    ]);
  });

  it('refuses below an allow that matched, and above it the same', () => {
    const allow = { kind: 'allow', effect: { action: 'ALLOW', reason_code: 'OK', message: '' } };
    const gateway = new Gateway([allow, budget({ limit_calls: 1 })]);
    expect([gateway.say('a'), gateway.say('a')]).toEqual(['ALLOW', 'BLOCK BUDGET_EXCEEDED']);
  });

  it('is charged for calls that another rule refuses', () => {
    const deny = {
      kind: 'deny',
      match: { tool_name: { glob: ['rm'] } },
      effect: { action: 'BLOCK', reason_code: 'NO', message: '' },
    };
    const gateway = new Gateway([deny, budget({ limit_calls: 1 })]);
    expect([gateway.say('rm'), gateway.say('a')]).toEqual(['BLOCK NO', 'BLOCK BUDGET_EXCEEDED']);
  });
});

describe('a rate limit', () => {
  const bucket = (fields: object): object => ({
    kind: 'rate_limit',
    effect: {
      rate_limit: {
        scope: 'run',
        capacity: 2,
        refill_tokens: 1,
        refill_period_ms: 1000,
        on_limit: 'BLOCK',
        ...fields,
      },
    },
  });

  it('refills continuously and says how long to wait', () => {
    const gateway = new Gateway([bucket({ on_limit: 'THROTTLE', backoff_ms: 10 })]);
    expect([gateway.say('a', {}, 0), gateway.say('a', {}, 0)]).toEqual(['ALLOW', 'ALLOW']);
    const { decision } = gateway.ask('a', {}, 400);
    expect(decision).toMatchObject({ action: 'THROTTLE', backoff_ms: 600, reason_code: 'RATE_LIMITED' });
    expect(decision.retry_advice).toBe('try again in 600 ms');
    expect(gateway.say('a', {}, 999)).toBe('THROTTLE RATE_LIMITED');
    expect(gateway.say('a', {}, 1000)).toBe('ALLOW');
  });
});

describe('a breaker', () => {
  const breaker = (fields: object): object => ({
    kind: 'breaker',
    effect: {
      breaker: {
        scope: 'run',
        error_threshold: 0,
        window_ms: 1000,
        repeat_threshold: 0,
        repeat_window_ms: 1000,
        on_trip: 'BLOCK',
        ...fields,
      },
    },
  });

  it('stays tripped while a loop goes on, trips once, and closes when it stops', () => {
    const gateway = new Gateway([breaker({ repeat_threshold: 2 })]);
    const trips = [0, 1, 2, 3].map((now) => gateway.ask('a', {}, now).trips.length);
    expect(trips).toEqual([0, 0, 1, 0]);
    expect(gateway.say('a', {}, 1001)).toBe('BLOCK BREAKER_REPEATS');
    expect(gateway.say('a', {}, 3000)).toBe('ALLOW');
  });

  it('counts errors and slow calls, and no refund', () => {
    const gateway = new Gateway([breaker({ error_threshold: 2, latency_threshold_ms: 100 })]);
    const first = gateway.ask('a');
    gateway.state.settle(first.charge, { status: 'ERROR', latency_ms: 1 }, 5);
    expect(gateway.say('b', {}, 5)).toBe('ALLOW');
    gateway.state.settle(first.charge, { status: 'OK', latency_ms: 101 }, 6);
    expect(gateway.say('b', {}, 1004)).toBe('BLOCK BREAKER_ERRORS');
    expect(gateway.say('b', {}, 1005)).toBe('ALLOW');
  });
});

describe('a dedupe', () => {
  const dedupe = {
    kind: 'dedupe',
    effect: { dedupe: { scope: 'tool', window_ms: 100, key: 'args_hash', on_duplicate: 'BLOCK' } },
  };

  it('remembers only what was allowed', () => {
    const gateway = new Gateway([dedupe]);
    expect(gateway.say('a', { x: 1 }, 0)).toBe('ALLOW');
    expect(gateway.say('a', { x: 2 }, 0)).toBe('ALLOW');
    expect(gateway.say('a', { x: 1 }, 99)).toBe('BLOCK DUPLICATE_CALL');
    expect(gateway.say('a', { x: 1 }, 100)).toBe('ALLOW');
  });
});
