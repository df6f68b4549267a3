import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';
import type { PolicyCall } from '../match/call.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import { PolicyState } from '../meter/policy-state.js';
import { decide, type DecideResult } from './decide.js';

const isLong = process.env['SUB_LONG'] !== undefined;

const names = fc.array(fc.constantFrom('a*', 'ab', '*b', '?', '{a,b}*'), { minLength: 1, maxLength: 2 });
const scalar = fc.constantFrom(1, 2, 'x', true);
const match = fc.record(
  {
    tool_name: fc.record({ glob: names }),
    risk_class: fc.constantFrom(['t'], ['u'], ['t', 'u']),
    args: fc.oneof(
      fc.record({ has_keys: fc.constantFrom(['x'], ['x', 'y']) }),
      fc.record({ key_equals: fc.record({ x: scalar }) }),
      fc.record({ key_in: fc.record({ x: fc.array(scalar, { minLength: 1 }) }) }),
      fc.record({ numeric_range: fc.record({ x: fc.constantFrom({ min: 2 }, { max: 1 }, {}) }) }),
    ),
  },
  { requiredKeys: [] },
);
const access = { reason_code: 'R', message: '' };
const effects = fc.constantFrom(
  { kind: 'allow', effect: { ...access, action: 'ALLOW' } },
  { kind: 'deny', effect: { ...access, action: 'BLOCK' } },
  { kind: 'tag', effect: { tag: { add_risk_class: ['t'] } } },
  { kind: 'tag', effect: { tag: { add_risk_class: ['u'] } } },
);
const rule = fc.record({ match, effects, enabled: fc.boolean() });
const policy = fc.record({
  mode: fc.constantFrom('guardrails', 'observe'),
  no_match: fc.constantFrom('ALLOW', 'BLOCK'),
  rules: fc.array(rule, { maxLength: 6 }),
});
const call = fc.record({
  server_name: fc.constant('s'),
  tool_name: fc.constantFrom('a', 'b', 'ab', 'ba', ''),
  args: fc.option(fc.dictionary(fc.constantFrom('x', 'y', '__proto__'), scalar), { nil: undefined }),
  arg_keys: fc.option(fc.subarray(['x', 'y']), { nil: undefined }),
  args_hash: fc.constant('hash'),
  identity: fc.constant({ agent_id: 'agent', client: 'claude' as const, env: 'dev' as const }),
});

type Parts = typeof policy extends fc.Arbitrary<infer Value> ? Value : never;

function snapshotOf({ mode, no_match, rules }: Parts, first: readonly object[] = []): PolicySnapshot {
  const written = rules.map(({ effects: { kind, effect }, ...rest }, at) => {
    return { rule_id: `r${at}`, severity: 'info', kind, effect, ...rest };
  });
  const defaults = { decision_on_error: 'BLOCK', no_match };
  const bundle = {
    policy_id: 'p',
    version: '1',
    mode,
    defaults,
    selectors: {},
    rules: [...first, ...written],
  };
  const result = compilePolicy(JSON.stringify(bundle));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
}

const ask = (snapshot: PolicySnapshot, about: PolicyCall, now = 0): DecideResult =>
  decide(snapshot, PolicyState.empty(), about, now);

describe('every decision', () => {
  it('is the same for the same policy, call and time, and from a policy compiled anew', () => {
    fc.assert(
      fc.property(policy, call, (parts, about) => {
        const snapshot = snapshotOf(parts);
        expect(ask(snapshot, about)).toEqual(ask(snapshot, about));
        expect(ask(snapshotOf(parts), about)).toEqual(ask(snapshot, about));
        expect(snapshotOf(parts).policy_hash).toBe(snapshot.policy_hash);
      }),
    );
  });

  it('does not turn from a block into an allow when a deny is put on top', () => {
    fc.assert(
      fc.property(policy, match, call, (parts, extra, about) => {
        const deny = {
          rule_id: 'top',
          kind: 'deny',
          enabled: true,
          severity: 'info',
          match: extra,
          effect: { ...access, action: 'BLOCK' },
        };
        fc.pre(ask(snapshotOf(parts), about).decision.action === 'BLOCK');
        expect(ask(snapshotOf(parts, [deny]), about).decision.action).toBe('BLOCK');
      }),
      { numRuns: isLong ? 2000 : 70 },
    );
  });

  it('is a block without inspected arguments wherever some arguments would be blocked and none are seen', () => {
    fc.assert(
      fc.property(policy, call, (parts, about) => {
        const snapshot = snapshotOf({ ...parts, mode: 'guardrails' });
        const seen = { ...about, args: about.args ?? {}, arg_keys: undefined };
        const unseen = { ...about, args: undefined, arg_keys: undefined };
        const { action, rule_id } = ask(snapshot, seen).decision;
        const blockedByRule = rule_id !== null && action === 'BLOCK';
        expect(!blockedByRule || ask(snapshot, unseen).decision.action === 'BLOCK').toBe(true);
      }),
      { numRuns: isLong ? 2000 : 70 },
    );
  });

  it('enforces in guardrails what it decides, and in observe an allow under the same rule and reason', () => {
    fc.assert(
      fc.property(policy, call, (parts, about) => {
        const { decision, effective } = ask(snapshotOf(parts), about);
        const shadow = { ...decision, action: 'ALLOW', summary: effective.summary };
        expect(effective).toEqual(parts.mode === 'guardrails' ? decision : shadow);
      }),
    );
  });
});
