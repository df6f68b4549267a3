import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';
import { chargeData, chargeFrom } from '../meter/charge-data.js';
import type { Charge } from '../meter/charge.js';
import { joinCharges } from '../meter/paid.js';
import { PolicyState } from '../meter/policy-state.js';
import { decide, explain, type DecideResult } from './decide.js';

const identity = { agent_id: 'agent', client: 'claude', env: 'dev' } as const;

class Gateway {
  readonly state = PolicyState.empty();
  readonly #snapshot;

  constructor(rules: readonly object[]) {
    const written = rules.map((rule, at) => {
      return { rule_id: `r${at}`, enabled: true, severity: 'warn', match: {}, ...rule };
    });
    const frame = { policy_id: 'p', version: '1', mode: 'guardrails', selectors: {} };
    const defaults = { decision_on_error: 'BLOCK' };
    const result = compilePolicy(JSON.stringify({ ...frame, defaults, rules: written }));
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    this.#snapshot = result.snapshot;
  }

  ask(now: number, paid: Charge = [], args_hash = 'same'): DecideResult {
    const call = { server_name: 's', tool_name: 't', args: {}, args_hash, identity };
    const result = decide(this.#snapshot, this.state, call, now, { paid });
    const told = explain(this.#snapshot, this.state, call, now, { paid });
    expect(told.decision).toEqual(result.decision);
    expect(told.charge).toEqual(result.charge);
    this.state.apply(result.charge, now);
    return result;
  }

  say(now: number, paid: Charge = [], args_hash = 'same'): string {
    const { action, reason_code } = this.ask(now, paid, args_hash).decision;
    return action === 'ALLOW' ? action : `${action} ${reason_code}`;
  }
}

const dedupe = {
  kind: 'dedupe',
  effect: { dedupe: { scope: 'run', window_ms: 1000, key: 'args_hash', on_duplicate: 'BLOCK' } },
};
const budget = { kind: 'budget', effect: { budget: { scope: 'run', limit_calls: 2, on_exceed: 'BLOCK' } } };
const bucket = {
  kind: 'rate_limit',
  effect: {
    rate_limit: {
      scope: 'run',
      capacity: 2,
      refill_tokens: 1,
      refill_period_ms: 1000,
      on_limit: 'THROTTLE',
      backoff_ms: 1,
    },
  },
};
const breakerOf = (more: object): object => ({
  kind: 'breaker',
  effect: {
    breaker: {
      scope: 'run',
      error_threshold: 0,
      window_ms: 1000,
      repeat_threshold: 2,
      repeat_window_ms: 1000,
      on_trip: 'BLOCK',
      ...more,
    },
  },
});
const deny = {
  kind: 'deny',
  effect: { action: 'BLOCK', reason_code: 'DENYLIST_MATCH', message: 'no' },
};

describe('a call that goes on with another', () => {
  it('is no duplicate of it, and the same call without it is', () => {
    const gateway = new Gateway([dedupe]);
    const { charge } = gateway.ask(0);
    expect(gateway.say(1)).toBe('BLOCK DUPLICATE_CALL');
    expect(gateway.say(2, charge)).toBe('ALLOW');
    expect(gateway.say(999)).toBe('BLOCK DUPLICATE_CALL');
    expect(gateway.say(1000)).toBe('ALLOW');
  });

  it('is counted by a budget of calls once, and goes on where it is used up', () => {
    const gateway = new Gateway([budget]);
    const { charge } = gateway.ask(0);
    expect(gateway.ask(1, charge)).toMatchObject({ decision: { action: 'ALLOW' }, charge: [] });
    expect(gateway.say(2)).toBe('ALLOW');
    expect(gateway.say(3)).toBe('BLOCK BUDGET_EXCEEDED');
    expect(gateway.say(4, charge)).toBe('ALLOW');
  });

  it('is a message that a bucket counts', () => {
    const gateway = new Gateway([bucket]);
    const { charge } = gateway.ask(0);
    expect(gateway.say(0, charge)).toBe('ALLOW');
    expect(gateway.say(0, charge)).toBe('THROTTLE RATE_LIMITED');
  });

  it('is no repeat of it, and is refused by a breaker that has tripped since', () => {
    const gateway = new Gateway([breakerOf({})]);
    gateway.ask(0);
    const { charge } = gateway.ask(1);
    expect(gateway.say(2, charge)).toBe('ALLOW');
    expect(gateway.say(3, charge)).toBe('ALLOW');
    expect(gateway.say(4)).toBe('BLOCK BREAKER_REPEATS');
    expect(gateway.say(5, charge)).toBe('BLOCK BREAKER_REPEATS');
  });

  it('fails for a breaker like any other, and is refused where too many failed', () => {
    const gateway = new Gateway([breakerOf({ error_threshold: 1 })]);
    const { charge } = gateway.ask(0);
    const again = gateway.ask(1, charge);
    expect(again.decision.action).toBe('ALLOW');
    gateway.state.settle(again.charge, { status: 'ERROR', latency_ms: 1 }, 2);
    expect(gateway.say(3, charge)).toBe('BLOCK BREAKER_ERRORS');
  });

  it('is asked every rule that did not count that call: a deny, and limits of another policy, or of other arguments', () => {
    const { charge } = new Gateway([dedupe, budget]).ask(0);
    expect(new Gateway([dedupe, budget, deny]).say(1, charge)).toBe('BLOCK DENYLIST_MATCH');
    const renamed = new Gateway([{ ...dedupe, rule_id: 'other' }]);
    expect(renamed.say(0)).toBe('ALLOW');
    expect(renamed.say(1, charge)).toBe('BLOCK DUPLICATE_CALL');
    const gateway = new Gateway([dedupe]);
    expect(gateway.say(0, [], 'more')).toBe('ALLOW');
    expect(gateway.say(1, charge, 'more')).toBe('BLOCK DUPLICATE_CALL');
  });

  it('is not let through for what a call was refused: a dedupe has counted only what was allowed', () => {
    const gateway = new Gateway([dedupe]);
    gateway.ask(0);
    const refused = gateway.ask(1);
    expect(refused.decision.action).toBe('BLOCK');
    expect(gateway.say(2, refused.charge)).toBe('BLOCK DUPLICATE_CALL');
  });

  it('leaves what limits have counted as it was when it is taken back, and as it is when its charge is read again', () => {
    const every = [dedupe, budget, bucket, breakerOf({ repeat_threshold: 5 })];
    fc.assert(
      fc.property(fc.array(fc.nat(3), { maxLength: 6 }), fc.nat(2), (gaps, last) => {
        const gateway = new Gateway(every);
        const first = gateway.ask(0).charge;
        let now = 0;
        for (const gap of gaps) {
          now += gap;
          gateway.ask(now, [], String(gap));
        }
        const before = JSON.stringify(gateway.state.toJSON());
        const other = PolicyState.fromJSON(gateway.state.toJSON());
        const { charge } = gateway.ask(now + last, first);
        other.apply(chargeFrom(chargeData(charge)), now + last);
        expect(other.toJSON()).toEqual(gateway.state.toJSON());
        gateway.state.revert(charge);
        const after = JSON.stringify({ ...gateway.state.toJSON(), now: 0 });
        expect(after).toBe(JSON.stringify({ ...JSON.parse(before), now: 0 }));
      }),
    );
  });

  it('has been counted for what all calls before it were, once each', () => {
    const gateway = new Gateway([dedupe, budget, breakerOf({})]);
    const first = gateway.ask(0).charge;
    const second = gateway.ask(1, first).charge;
    expect(second.map(({ kind }) => kind)).toEqual(['breaker']);
    const joined = joinCharges(first, second);
    expect(joined.map(({ kind }) => kind)).toEqual(['dedupe', 'budget', 'breaker', 'breaker']);
    expect(joinCharges(joined, gateway.ask(2, joined).charge)).toEqual(joined);
  });
});
