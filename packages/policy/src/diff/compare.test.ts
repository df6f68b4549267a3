import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';
import { decide } from '../decide/decide.js';
import { PolicyState } from '../meter/policy-state.js';
import { snapshotFromPlain } from '../snapshot/from-plain.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import { comparePolicies } from './diff.js';

const isLong = process.env['SUB_LONG'] !== undefined;

interface Rule {
  readonly rule_id: string;
  readonly kind: string;
  readonly effect: object;
  readonly enabled?: boolean;
  readonly match?: object;
}

function snapshotOf(rules: readonly Rule[], more: object = {}): PolicySnapshot {
  const written = rules.map((rule) => ({ enabled: true, severity: 'warn', match: {}, ...rule }));
  const bundle = {
    policy_id: 'p',
    version: '1',
    mode: 'control',
    defaults: { decision_on_error: 'BLOCK' },
    selectors: {},
    rules: written,
    ...more,
  };
  const result = compilePolicy(JSON.stringify(bundle));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
}

const budget = (fields: object = {}, rule: Partial<Rule> = {}): Rule => ({
  rule_id: 'b',
  kind: 'budget',
  effect: { budget: { scope: 'run', limit_calls: 3, on_exceed: 'BLOCK', ...fields } },
  ...rule,
});
const rate = (fields: object = {}, rule: Partial<Rule> = {}): Rule => ({
  rule_id: 'r',
  kind: 'rate_limit',
  effect: {
    rate_limit: {
      scope: 'run',
      capacity: 3,
      refill_tokens: 1,
      refill_period_ms: 1000,
      on_limit: 'BLOCK',
      ...fields,
    },
  },
  ...rule,
});
const breaker = (fields: object = {}, rule: Partial<Rule> = {}): Rule => ({
  rule_id: 'k',
  kind: 'breaker',
  effect: {
    breaker: {
      scope: 'run',
      error_threshold: 3,
      window_ms: 1000,
      repeat_threshold: 3,
      repeat_window_ms: 1000,
      on_trip: 'BLOCK',
      ...fields,
    },
  },
  ...rule,
});
const dedupe = (fields: object = {}, rule: Partial<Rule> = {}): Rule => ({
  rule_id: 'u',
  kind: 'dedupe',
  effect: { dedupe: { scope: 'run', window_ms: 1000, key: 'args_hash', on_duplicate: 'BLOCK', ...fields } },
  ...rule,
});
const access = (kind: 'allow' | 'deny', fields: object = {}, rule: Partial<Rule> = {}): Rule => ({
  rule_id: kind[0] ?? '',
  kind,
  effect: { action: kind === 'allow' ? 'ALLOW' : 'BLOCK', reason_code: 'R', message: 'm', ...fields },
  ...rule,
});
/** From its normal form: bundles with it may not be available yet. */
function failingOpen({ plain }: PolicySnapshot): PolicySnapshot {
  return snapshotFromPlain({ ...plain, defaults: { ...plain.defaults, fail_open_read_tools: true } });
}
const names = (...glob: readonly string[]): object => ({ tool_name: { glob } });

describe('a change of a limit', () => {
  it.each<[string, Rule, Rule, string, string]>([
    [
      'a raised limit of calls',
      budget(),
      budget({ limit_calls: 4 }),
      'critical',
      'raised `limit_calls` of budget `b`: 3 → 4',
    ],
    [
      'a lowered limit of calls',
      budget(),
      budget({ limit_calls: 2 }),
      'info',
      'lowered `limit_calls` of budget `b`: 3 → 2',
    ],
    [
      'a limit more',
      budget(),
      budget({ limit_write_actions: 1 }),
      'info',
      'set `limit_write_actions` of budget `b`: none → 1',
    ],
    [
      'a limit less',
      budget({ limit_write_actions: 1 }),
      budget(),
      'critical',
      'removed `limit_write_actions` of budget `b`: 1 → none',
    ],
    [
      'cheaper calls',
      budget({ limit_cost_units: 9, cost_units_per_call: 3 }),
      budget({ limit_cost_units: 9, cost_units_per_call: 2 }),
      'critical',
      'lowered `cost_units_per_call` of budget `b`: 3 → 2',
    ],
    [
      'a cost that an argument says',
      budget({ limit_cost_units: 9 }),
      budget({ limit_cost_units: 9, cost_units_from: 'amount' }),
      'critical',
      'set `cost_units_from` of budget `b`: none → amount',
    ],
    [
      'a budget for each tool',
      budget(),
      budget({ scope: 'tool' }),
      'critical',
      'changed `scope` of budget `b`: run → tool',
    ],
    [
      'a budget that ends no run any more',
      budget({ on_exceed: 'TERMINATE_RUN' }),
      budget(),
      'critical',
      'changed `on_exceed` of budget `b`: TERMINATE_RUN → BLOCK',
    ],
    [
      'a budget that ends the run',
      budget(),
      budget({ on_exceed: 'TERMINATE_RUN' }),
      'warn',
      'changed `on_exceed` of budget `b`: BLOCK → TERMINATE_RUN',
    ],
    [
      'a budget that hints',
      budget(),
      budget({ on_exceed: 'REJECT_WITH_HINT' }),
      'info',
      'changed `on_exceed` of budget `b`: BLOCK → REJECT_WITH_HINT',
    ],
    [
      'a larger bucket',
      rate(),
      rate({ capacity: 4 }),
      'critical',
      'raised `capacity` of rate_limit `r`: 3 → 4',
    ],
    [
      'a slower bucket',
      rate(),
      rate({ refill_period_ms: 2000 }),
      'info',
      'raised `refill_period_ms` of rate_limit `r`: 1000 → 2000',
    ],
    [
      'a faster bucket',
      rate(),
      rate({ refill_period_ms: 500 }),
      'critical',
      'lowered `refill_period_ms` of rate_limit `r`: 1000 → 500',
    ],
    [
      'a breaker without errors',
      breaker(),
      breaker({ error_threshold: 0 }),
      'critical',
      'lowered `error_threshold` of breaker `k`: 3 → 0',
    ],
    [
      'a breaker with errors',
      breaker({ error_threshold: 0 }),
      breaker(),
      'info',
      'raised `error_threshold` of breaker `k`: 0 → 3',
    ],
    [
      'a stricter breaker',
      breaker(),
      breaker({ repeat_threshold: 2 }),
      'info',
      'lowered `repeat_threshold` of breaker `k`: 3 → 2',
    ],
    [
      'a shorter memory',
      breaker(),
      breaker({ window_ms: 500 }),
      'critical',
      'lowered `window_ms` of breaker `k`: 1000 → 500',
    ],
    [
      'slow calls that count',
      breaker(),
      breaker({ latency_threshold_ms: 500 }),
      'info',
      'set `latency_threshold_ms` of breaker `k`: none → 500',
    ],
    [
      'a longer memory',
      dedupe(),
      dedupe({ window_ms: 2000 }),
      'info',
      'raised `window_ms` of dedupe `u`: 1000 → 2000',
    ],
    ['other words', dedupe(), dedupe({ hint_text: 'once' }), 'info', 'changed the words of dedupe `u`'],
  ])('is told for %s', (_, from, to, severity, text) => {
    const { loosened, changes } = comparePolicies(snapshotOf([from]), snapshotOf([to]));
    expect(changes).toMatchObject([{ severity, text, rule_id: from.rule_id }]);
    expect(loosened).toBe(severity === 'critical');
  });

  it('is critical when the limit goes, or its counter begins anew under another name', () => {
    const gone = comparePolicies(snapshotOf([budget()]), snapshotOf([]));
    expect(gone.changes).toMatchObject([{ kind: 'removed', severity: 'critical', loosens: true }]);
    const renamed = comparePolicies(snapshotOf([budget()]), snapshotOf([budget({}, { rule_id: 'c' })]));
    expect(renamed.changes.map(({ kind, severity }) => [kind, severity])).toEqual([
      ['removed', 'critical'],
      ['added', 'warn'],
    ]);
  });
});

describe('how much a change matters', () => {
  const deny = access('deny', {}, { match: names('rm') });

  it.each<[string, PolicySnapshot, PolicySnapshot, string]>([
    ['a deny that goes', snapshotOf([deny]), snapshotOf([]), 'critical'],
    ['a deny that comes', snapshotOf([]), snapshotOf([deny]), 'warn'],
    [
      'a deny that goes while another refuses the same',
      snapshotOf([deny, access('deny', {}, { rule_id: 'all', match: names('*') })]),
      snapshotOf([access('deny', {}, { rule_id: 'all', match: names('*') })]),
      'warn',
    ],
    [
      'a deny that goes while another refuses the same, at some hours',
      snapshotOf([deny, access('deny', {}, { rule_id: 'all', match: { time: { utc_hours: [1] } } })]),
      snapshotOf([access('deny', {}, { rule_id: 'all', match: { time: { utc_hours: [1] } } })]),
      'critical',
    ],
    [
      'a deny that goes while an allow comes before the other',
      snapshotOf([deny, access('allow'), access('deny', {}, { rule_id: 'all' })]),
      snapshotOf([access('allow'), access('deny', {}, { rule_id: 'all' })]),
      'critical',
    ],
    [
      'a deny of fewer hours',
      snapshotOf([deny]),
      snapshotOf([{ ...deny, match: { ...names('rm'), time: { utc_hours: [1] } } }]),
      'critical',
    ],
    [
      'an override more',
      snapshotOf([access('allow'), budget()]),
      snapshotOf([access('allow', { overrides: ['b'] }), budget()]),
      'critical',
    ],
    [
      'an override less',
      snapshotOf([access('allow', { overrides: ['b'] }), budget()]),
      snapshotOf([access('allow'), budget()]),
      'warn',
    ],
    [
      'a tool that is hidden',
      snapshotOf([deny]),
      snapshotOf([access('deny', { hide: true }, { match: names('rm') })]),
      'warn',
    ],
    [
      'other words',
      snapshotOf([deny]),
      snapshotOf([access('deny', { message: 'x' }, { match: names('rm') })]),
      'info',
    ],
    ['fail open', snapshotOf([]), failingOpen(snapshotOf([])), 'critical'],
    ['the mode observe', snapshotOf([]), snapshotOf([], { mode: 'observe' }), 'critical'],
    ['the mode guardrails', snapshotOf([]), snapshotOf([], { mode: 'guardrails' }), 'info'],
  ])('is told for %s', (_, before, after, severity) => {
    expect(comparePolicies(before, after).changes.map((change) => change.severity)).toEqual([severity]);
  });

  it('nothing that observe mode let pass can newly pass, but for whom the policy is meant', () => {
    const observe = { mode: 'observe' };
    const rules = comparePolicies(snapshotOf([deny], observe), snapshotOf([], observe));
    expect(rules).toMatchObject({ loosened: true, changes: [{ severity: 'warn' }] });
    const who = comparePolicies(
      snapshotOf([], { ...observe, selectors: { env: ['ci'] } }),
      snapshotOf([], observe),
    );
    expect(who.changes).toMatchObject([{ kind: 'selectors', severity: 'critical' }]);
  });

  it('a block that comes before what would have ended the run lets the run go on', () => {
    const ends = budget({ on_exceed: 'TERMINATE_RUN' });
    const added = comparePolicies(snapshotOf([ends]), snapshotOf([access('deny'), ends]));
    expect(added.changes).toMatchObject([
      { severity: 'critical', why: expect.stringContaining('`b` would have ended the run') },
    ]);
    const moved = comparePolicies(snapshotOf([ends, access('deny')]), snapshotOf([access('deny'), ends]));
    expect(moved.changes).toMatchObject([{ kind: 'moved', severity: 'critical' }]);
  });

  it('a tag that goes is critical where a rule of the new policy looks at its class, which it says', () => {
    const tag: Rule = { rule_id: 't', kind: 'tag', effect: { tag: { add_risk_class: ['t'] } } };
    const refusing: Rule = { ...access('deny'), rule_id: 'd', match: { risk_class: ['t'] } };
    const ofTag = (after: readonly Rule[]) =>
      comparePolicies(snapshotOf([tag, refusing]), snapshotOf(after)).changes.find(
        ({ rule_id }) => rule_id === 't',
      );
    expect(ofTag([refusing])).toMatchObject({ severity: 'critical', why: 'deny `d` matches the class `t`' });
    expect(ofTag([])).toMatchObject({ severity: 'info', why: '' });
    const { loosened } = comparePolicies(snapshotOf([tag, refusing]), snapshotOf([]));
    expect(loosened).toBe(true);
  });

  it('tells whose calls are concerned, of both versions of a rule', () => {
    const wider = {
      ...deny,
      match: { tool_name: { glob: ['mv'], regex: ['r.'] }, server_name: { glob: ['files'] } },
    };
    const prod = { selectors: { env: ['prod'] } };
    const { changes } = comparePolicies(snapshotOf([deny], prod), snapshotOf([wider], prod));
    expect(changes[0]?.affects).toEqual({
      selectors: { env: ['prod'] },
      servers: null,
      tools: ['/r./', 'mv', 'rm'],
      risk_classes: null,
      arguments: null,
      utc_hours: null,
      objects: null,
    });
  });
});

it('beyond the comparisons that are allowed nothing is proven: every two rules are taken to meet', () => {
  const [before, after] = [
    [access('allow', {}, { match: names('a') }), access('deny', {}, { match: names('b') })],
    [access('deny', {}, { match: names('b') }), access('allow', {}, { match: names('a') })],
  ].map((rules) => snapshotOf(rules));
  if (before === undefined || after === undefined) throw new Error('no policies');
  expect(comparePolicies(before, after)).toMatchObject({ loosened: false, tightened: false });
  expect(comparePolicies(before, after, 0)).toMatchObject({ loosened: false, tightened: true });
  expect(comparePolicies(after, before, 0)).toMatchObject({ loosened: true, tightened: false });
});

describe('two policies', () => {
  const matches = fc.constantFrom<object>(
    {},
    names('a*'),
    names('ab'),
    names('b', 'c*'),
    { risk_class: ['t'] },
    { risk_class: ['t', 'write_like'] },
    { args: { key_in: { x: [1, 2] } } },
    { args: { key_equals: { x: 1 } } },
    { args: { numeric_range: { x: { min: 1, max: 5 } } } },
    { args: { numeric_range: { x: { min: 0 } } } },
    { args: { has_keys: ['x'] } },
    { time: { utc_hours: [0] } },
  );
  const count = fc.integer({ min: 1, max: 4 });
  const scope = fc.constantFrom('run', 'tool', 'server_tool');
  const onLimit = fc.constantFrom('BLOCK', 'REJECT_WITH_HINT');
  const orEnd = fc.constantFrom('BLOCK', 'REJECT_WITH_HINT', 'TERMINATE_RUN');
  const kinds = fc.oneof(
    fc.constant({ kind: 'allow', effect: access('allow').effect }),
    fc.constant({ kind: 'deny', effect: access('deny').effect }),
    fc
      .constantFrom('t', 'write_like')
      .map((one) => ({ kind: 'tag', effect: { tag: { add_risk_class: [one] } } })),
    fc
      .record({ scope, limit_calls: count, on_exceed: orEnd }, { noNullPrototype: true })
      .map((fields) => ({ kind: 'budget', effect: { budget: fields } })),
    fc
      .record({
        scope,
        limit_write_actions: count,
        limit_cost_units: count,
        cost_units_per_call: count,
        on_exceed: orEnd,
      })
      .map((fields) => ({ kind: 'budget', effect: { budget: fields } })),
    fc
      .record({
        scope,
        capacity: count,
        refill_tokens: count,
        refill_period_ms: fc.constantFrom(1000, 3000),
        on_limit: onLimit,
      })
      .map((fields) => ({ kind: 'rate_limit', effect: { rate_limit: fields } })),
    fc
      .record({
        scope,
        error_threshold: count,
        window_ms: fc.constantFrom(1000, 5000),
        repeat_threshold: count,
        repeat_window_ms: fc.constantFrom(1000, 5000),
        on_trip: orEnd,
      })
      .map((fields) => ({ kind: 'breaker', effect: { breaker: fields } })),
    fc
      .record({
        scope,
        window_ms: fc.constantFrom(1000, 5000),
        key: fc.constant('args_hash'),
        on_duplicate: onLimit,
      })
      .map((fields) => ({ kind: 'dedupe', effect: { dedupe: fields } })),
  );
  const rule = fc
    .tuple(fc.constantFrom('1', '2', '3'), kinds, matches, fc.constantFrom(true, true, true, false))
    .map(([rule_id, kind, match, enabled]): Rule => ({ rule_id, ...kind, match, enabled }));
  const rules = fc.uniqueArray(rule, { selector: ({ rule_id }) => rule_id, maxLength: 3 });
  const policy = fc
    .tuple(rules, fc.constantFrom('ALLOW', 'ALLOW', 'BLOCK'), fc.nat(2))
    .map(([list, no_match, overriding]) => {
      // An allow at the top may lift what stands below it.
      const [first, ...below] = list;
      const target = below[overriding];
      const lifts =
        first?.kind === 'allow' && target !== undefined && target.kind !== 'tag' && target.kind !== 'allow';
      const top = lifts
        ? [{ ...first, effect: { ...first.effect, overrides: [target.rule_id] } }, ...below]
        : list;
      return snapshotOf(top, { defaults: { decision_on_error: 'BLOCK', no_match } });
    });
  /** Mostly small changes of one policy: two independent ones loosen nearly always, and prove nothing. */
  const pair = fc.oneof(
    fc.tuple(policy, policy),
    fc.tuple(rules, rules, fc.array(fc.nat(2), { maxLength: 2 })).map(([list, other, swap]) => {
      const changed = list.map((one, at) => (swap.includes(at) ? (other[at] ?? one) : one));
      const unique = changed.filter(
        (one, at) => changed.findIndex(({ rule_id }) => rule_id === one.rule_id) === at,
      );
      return [snapshotOf(list), snapshotOf(unique)] as const;
    }),
    fc.tuple(rules, rule).map(([list, more]) => {
      const others = list.filter(({ rule_id }) => rule_id !== more.rule_id);
      return [snapshotOf(others), snapshotOf([more, ...others])] as const;
    }),
    rules.map((list) => [snapshotOf(list), snapshotOf(list.toReversed())] as const),
    fc.tuple(rules, matches, fc.nat(2)).map(([list, match, which]) => {
      const changed = list.map((one, at) => (at === which ? { ...one, match } : one));
      return [snapshotOf(list), snapshotOf(changed)] as const;
    }),
  );
  const call = fc.record({
    tool: fc.constantFrom('a', 'ab', 'b', 'c1'),
    args: fc.constantFrom<Record<string, number> | undefined>({}, { x: 1 }, { x: 2 }, { x: 7 }, undefined),
    wait: fc.constantFrom(0, 0, 500, 2000, 3_600_000),
    fails: fc.boolean(),
  });

  function made({
    tool,
    args,
  }: {
    readonly tool: string;
    readonly args: Record<string, number> | undefined;
  }) {
    return {
      server_name: 's',
      tool_name: tool,
      args,
      args_hash: JSON.stringify(args ?? 'unseen'),
      identity: { agent_id: 'agent', client: 'claude', env: 'dev' },
    } as const;
  }

  it('that are not said to have loosened, or tightened, decide no call more loosely, or more tightly, with the same counters', () => {
    fc.assert(
      fc.property(pair, fc.array(call, { minLength: 1, maxLength: 8 }), ([before, after], calls) => {
        const { loosened, tightened } = comparePolicies(before, after);
        const state = PolicyState.empty();
        let now = 0;
        for (const one of calls) {
          now += one.wait;
          const [was, is] = [before, after].map((snapshot) => decide(snapshot, state, made(one), now));
          if (was === undefined || is === undefined) throw new Error('not decided');
          const [from, to] = [was.effective.action, is.effective.action];
          if (!loosened) {
            expect([from, to, from === 'ALLOW' || to !== 'ALLOW']).toEqual([from, to, true]);
            expect([from, to, from !== 'TERMINATE_RUN' || to === 'TERMINATE_RUN']).toEqual([from, to, true]);
          }
          if (!tightened) {
            expect([from, to, from !== 'ALLOW' || to === 'ALLOW']).toEqual([from, to, true]);
            expect([from, to, from === 'TERMINATE_RUN' || to !== 'TERMINATE_RUN']).toEqual([from, to, true]);
          }
          state.apply(was.charge, now);
          if (from === 'ALLOW')
            state.settle(was.charge, { status: one.fails ? 'ERROR' : 'OK', latency_ms: 0 }, now);
        }
      }),
      { numRuns: isLong ? 15_000 : 500 },
    );
  });
});
