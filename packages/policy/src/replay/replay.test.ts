import {
  canonicalize,
  ExactNumber,
  sha256Hex,
  type JsonObject,
  type JsonValue,
} from '@subluminal/core-types';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import { knownArgs, type KnownArgs } from './known-args.js';
import type { RecordedCall, Replayed, Ruling } from './recorded.js';
import { Replay } from './replay.js';
import { ReplayTally } from './tally.js';

const isLong = process.env['SUB_LONG'] !== undefined;

const NEARLY_ONE = new ExactNumber('1.0000000000000000001');
const IDENTITY = { agent_id: 'agent', client: 'claude', env: 'dev' } as const;
const ALLOWED: Ruling = { action: 'ALLOW', rule_id: null, reason_code: 'NO_MATCH_ALLOWED' };
const BLOCKED: Ruling = { action: 'BLOCK', rule_id: 'old', reason_code: 'X' };

type Rule = Readonly<Record<string, unknown>> & { readonly rule_id: string; readonly kind: string };

function policy(rules: readonly Rule[], more: JsonObject = {}): PolicySnapshot {
  const bundle = {
    policy_id: 'p',
    version: '1',
    mode: 'guardrails',
    defaults: { decision_on_error: 'BLOCK' },
    selectors: {},
    rules: rules.map((rule) => ({ enabled: true, severity: 'warn', match: {}, ...rule })),
    ...more,
  };
  const result = compilePolicy(JSON.stringify(bundle));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
}

const deny = (rule_id: string, match: object): Rule => ({
  rule_id,
  kind: 'deny',
  match,
  effect: { action: 'BLOCK', reason_code: 'NO', message: 'no' },
});
const budget = (rule_id: string, more: object, match: object = {}): Rule => ({
  rule_id,
  kind: 'budget',
  match,
  effect: { budget: { scope: 'run', on_exceed: 'BLOCK', ...more } },
});

const whole = (values: JsonObject): KnownArgs => ({
  kind: 'whole',
  values,
  absent: new Set(),
  present: new Set(),
});
const part = (
  values: JsonObject,
  absent: readonly string[] = [],
  present: readonly string[] = [],
): KnownArgs => ({ kind: 'part', values, absent: new Set(absent), present: new Set(present) });

let ref = 0;
function call(args: KnownArgs, more: Partial<RecordedCall> = {}): RecordedCall {
  ref += 1;
  return {
    run_id: 'run',
    ref,
    ts: 1000 + ref,
    server_name: 'files',
    tool_name: 'read',
    args_hash: sha256Hex(canonicalize(args.values)),
    args: () => args,
    readings: () => undefined,
    raised: [],
    waivers: [],
    was: ALLOWED,
    ...more,
  };
}

function replayOf(snapshot: PolicySnapshot): Replay {
  const replay = new Replay(snapshot);
  replay.begin('run', IDENTITY);
  return replay;
}

describe('a recorded call under another policy', () => {
  it('that went on with one is no duplicate of it, and no second call of a budget', () => {
    const once: Rule = {
      rule_id: 'once',
      kind: 'dedupe',
      effect: { dedupe: { scope: 'run', window_ms: 60_000, key: 'args_hash', on_duplicate: 'BLOCK' } },
    };
    const replay = replayOf(policy([once, budget('one', { limit_calls: 1 })]));
    const said = (more: Partial<RecordedCall>): string => replay.call(call(whole({}), more)).verdict;
    expect(said({ call_id: 'call-1' })).toBe('same');
    expect(said({ call_id: 'call-2', continues: 'call-1' })).toBe('same');
    expect(said({ call_id: 'call-3', continues: 'call-2' })).toBe('same');
    expect(said({ call_id: 'call-4' })).toBe('newly_blocked');
    expect(said({ call_id: 'call-5', continues: 'call-4' })).toBe('newly_blocked');
    expect(said({ call_id: 'call-6', continues: 'call-9' })).toBe('newly_blocked');
  });

  it('that a person let go over a budget passes again, and is counted', () => {
    const replay = replayOf(policy([budget('b', { limit_calls: 1, on_exceed: 'ASK' })], { mode: 'control' }));
    const waivers = [{ rule_id: 'b', server_name: 'files', tool_name: 'read', args_hash: null }];
    expect(replay.call(call(whole({}))).verdict).toBe('same');
    expect(replay.call(call(whole({}), { waivers })).verdict).toBe('same');
    expect(replay.call(call(whole({})))).toMatchObject({
      verdict: 'newly_blocked',
      now: { action: 'REJECT_WITH_HINT', rule_id: 'b', reason_code: 'APPROVAL_REQUIRED' },
    });
  });

  it('is the same, newly blocked, newly allowed, or refused in another way', () => {
    const replay = replayOf(
      policy(
        [
          deny('d', { tool_name: { glob: ['write'] } }),
          budget(
            'b',
            { limit_calls: 2, on_exceed: 'REJECT_WITH_HINT', hint_text: 'h' },
            { tool_name: { glob: ['ask'] } },
          ),
        ],
        { mode: 'control' },
      ),
    );
    expect(replay.call(call(whole({}))).verdict).toBe('same');
    expect(replay.call(call(whole({}), { was: BLOCKED }))).toMatchObject({ verdict: 'newly_allowed' });
    expect(replay.call(call(whole({}), { tool_name: 'write' }))).toMatchObject({
      verdict: 'newly_blocked',
      now: { action: 'BLOCK', rule_id: 'd' },
    });
    expect(replay.call(call(whole({}), { tool_name: 'write', was: BLOCKED })).verdict).toBe('same');
    for (const verdict of ['newly_allowed', 'newly_allowed', 'changed']) {
      expect(replay.call(call(whole({}), { tool_name: 'ask', was: BLOCKED })).verdict).toBe(verdict);
    }
  });

  it('of a tool that was held is refused as it was, whatever the policy is', () => {
    const held: Ruling = { action: 'BLOCK', rule_id: null, reason_code: 'TOOL_HELD' };
    for (const mode of ['observe', 'guardrails']) {
      const replay = replayOf(policy([deny('no', { tool_name: { glob: ['write'] } })], { mode }));
      expect(replay.call(call(whole({}), { was: held }))).toMatchObject({ verdict: 'same', now: held });
      expect(replay.call(call(whole({})))).toMatchObject({ verdict: 'same', now: { action: 'ALLOW' } });
    }
  });

  it('of a tool that no server listed is refused where the policy does not only observe', () => {
    const was: Ruling = { action: 'ALLOW', rule_id: null, reason_code: 'UNKNOWN_TOOL' };
    const verdict = (mode: string) => replayOf(policy([], { mode })).call(call(whole({}), { was })).verdict;
    expect(verdict('observe')).toBe('same');
    expect(verdict('guardrails')).toBe('newly_blocked');
  });

  it('is not reached behind one that ends the run, which ends no other run', () => {
    const replay = replayOf(policy([budget('b', { limit_calls: 1, on_exceed: 'TERMINATE_RUN' })]));
    replay.begin('other', IDENTITY);
    const verdicts = [1, 2, 3].map(() => replay.call(call(whole({}))).verdict);
    expect(verdicts).toEqual(['same', 'newly_blocked', 'not_reached']);
    expect(replay.call(call(whole({}), { run_id: 'other' })).verdict).toBe('same');
    replay.finish('run');
    replay.begin('run', IDENTITY);
    expect(replay.call(call(whole({}))).verdict).toBe('same');
  });

  it('says in observe mode what would have happened', () => {
    const replay = replayOf(policy([deny('d', {})], { mode: 'observe' }));
    expect(replay.call(call(whole({})))).toMatchObject({
      verdict: 'same',
      now: { action: 'ALLOW' },
      would: { action: 'BLOCK', rule_id: 'd' },
    });
  });

  it('counts the errors of calls that ran, for breakers', () => {
    const rule = {
      rule_id: 'b',
      kind: 'breaker',
      effect: {
        breaker: {
          scope: 'run',
          error_threshold: 2,
          window_ms: 60_000,
          repeat_threshold: 0,
          repeat_window_ms: 1000,
          on_trip: 'BLOCK',
        },
      },
    };
    const replay = replayOf(policy([rule]));
    for (const verdict of ['same', 'same', 'newly_blocked']) {
      const next = call(whole({}));
      expect(replay.call(next).verdict).toBe(verdict);
      replay.end('run', next.ref, { status: 'ERROR', latency_ms: 1 }, next.ts);
    }
  });

  it('is known for whom it was made only where the run began in the record', () => {
    const chosen = new Replay(policy([deny('d', {})], { selectors: { env: ['dev'] } }));
    expect(chosen.call(call(whole({})))).toMatchObject({ verdict: 'unknown', because: 'beginning' });
    const all = new Replay(
      policy([deny('d', { tool_name: { glob: ['write'] } }), budget('b', { limit_calls: 9 })]),
    );
    expect(all.call(call(whole({})))).toMatchObject({ verdict: 'unknown', because: 'beginning' });
    expect(all.call(call(whole({}), { tool_name: 'write' }))).toMatchObject({ verdict: 'newly_blocked' });
  });
});

describe('a call whose arguments were not all kept', () => {
  const onPath = deny('d', { tool_name: { glob: ['read'] }, args: { key_equals: { path: '/etc' } } });

  it('is unknown where a rule looks at one of them, and names it', () => {
    const replay = replayOf(policy([onPath]));
    expect(replay.call(call(part({})))).toEqual({
      verdict: 'unknown',
      now: null,
      would: null,
      because: 'arguments',
      missing: ['path'],
    });
    expect(replay.call(call(part({ path: '/etc' }))).verdict).toBe('newly_blocked');
    expect(replay.call(call(part({ path: '/tmp' }))).verdict).toBe('same');
    expect(replay.call(call(part({}, ['path']))).verdict).toBe('same');
    expect(replay.call(call(part({}), { tool_name: 'list' })).verdict).toBe('same');
  });

  it('is known where it comes out the same for every value', () => {
    const first = replayOf(policy([deny('all', { tool_name: { glob: ['read'] } }), onPath]));
    expect(first.call(call(part({})))).toMatchObject({ verdict: 'newly_blocked', now: { rule_id: 'all' } });
    const hours = deny('x', { args: { numeric_range: { n: { min: 1, max: 2 } } } });
    expect(replayOf(policy([hours, deny('y', {})])).call(call(part({}))).verdict).toBe('unknown');
  });

  it('leaves a limit in doubt that may have counted it, and no other', () => {
    const large = { args: { numeric_range: { size: { min: 100 } } } };
    const replay = replayOf(
      policy([budget('large', { limit_calls: 1 }, large), budget('all', { limit_calls: 3 })]),
    );
    expect(replay.call(call(part({}))).verdict).toBe('same');
    expect(replay.call(call(whole({ size: 1 })))).toMatchObject({ verdict: 'unknown', because: 'limit' });
    expect(replayOf(policy([budget('all', { limit_calls: 1 })])).call(call(part({}))).verdict).toBe('same');
  });

  it('leaves a dedupe in doubt that may remember it, for the same arguments alone', () => {
    const large = { tool_name: { glob: ['read'] }, args: { numeric_range: { size: { min: 100 } } } };
    const once = {
      rule_id: 'once',
      kind: 'dedupe',
      effect: { dedupe: { scope: 'run', window_ms: 60_000, key: 'args_hash', on_duplicate: 'BLOCK' } },
    };
    const replay = replayOf(policy([budget('large', { limit_calls: 1 }, large), once]));
    expect(replay.call(call(part({}))).verdict).toBe('same');
    const [same, other] = [whole({ size: 200 }), whole({ size: 300 })];
    expect(replay.call(call(same))).toMatchObject({ verdict: 'unknown', because: 'limit' });
    expect(replay.call(call(same, { tool_name: 'list' }))).toMatchObject({
      verdict: 'unknown',
      because: 'limit',
    });
    expect(replay.call(call(other, { tool_name: 'list' })).verdict).toBe('same');
    expect(replay.call(call(other, { tool_name: 'list' })).verdict).toBe('newly_blocked');
  });

  it('may have ended the run', () => {
    const replay = replayOf(
      policy([budget('b', { limit_cost_units: 5, cost_units_from: 'n', on_exceed: 'TERMINATE_RUN' })]),
    );
    expect(replay.call(call(part({})))).toMatchObject({ verdict: 'unknown', because: 'arguments' });
    expect(replay.call(call(whole({ n: 1 })))).toMatchObject({ verdict: 'unknown', because: 'run' });
  });

  const keys = ['a', 'b', 'n'] as const;
  const args = fc.record(
    {
      a: fc.constantFrom('x', 'y', 1),
      b: fc.constantFrom(true, 'x'),
      n: fc.constantFrom<JsonValue>(0, 1, 3, 7, 'x', -1, NEARLY_ONE, NEARLY_ONE),
    },
    { requiredKeys: [] },
  );
  const names = fc.constantFrom({}, { tool_name: { glob: ['t1'] } }, { tool_name: { glob: ['t2'] } });
  const asked = fc.constantFrom(
    {},
    {},
    { args: { key_equals: { a: 'x' } } },
    { args: { has_keys: ['b'] } },
    { args: { key_equals: { n: 1 } } },
    { args: { numeric_range: { n: { min: 1, max: 3 } } } },
    { args: { key_in: { a: ['y', 1], b: [true] } } },
  );
  const match = fc.tuple(names, asked).map(([one, two]) => ({ ...one, ...two }));
  const scope = fc.constantFrom('run', 'tool', 'server_tool');
  const trigger = fc.constantFrom('BLOCK', 'BLOCK', 'TERMINATE_RUN');
  const effects = fc.oneof(
    fc.constant({ kind: 'deny', effect: { action: 'BLOCK', reason_code: 'NO', message: 'm' } }),
    fc.constant({ kind: 'allow', effect: { action: 'ALLOW', reason_code: 'YES', message: 'm' } }),
    fc
      .record({ scope, on_exceed: trigger, limit_calls: fc.integer({ min: 0, max: 4 }) })
      .map((one) => ({ kind: 'budget', effect: { budget: one } })),
    fc
      .record({
        scope,
        on_exceed: trigger,
        limit_cost_units: fc.integer({ min: 0, max: 9 }),
        cost_units_from: fc.constant('n'),
      })
      .map((one) => ({ kind: 'budget', effect: { budget: one } })),
    fc
      .record({
        scope,
        capacity: fc.integer({ min: 1, max: 4 }),
        refill_tokens: fc.constant(1),
        refill_period_ms: fc.constantFrom(5, 500),
        on_limit: fc.constantFrom('THROTTLE', 'BLOCK'),
        backoff_ms: fc.constant(10),
      })
      .map((one) => ({ kind: 'rate_limit', effect: { rate_limit: one } })),
    fc
      .record({
        scope,
        error_threshold: fc.integer({ min: 1, max: 2 }),
        window_ms: fc.constantFrom(20, 1000),
        repeat_threshold: fc.integer({ min: 2, max: 3 }),
        repeat_window_ms: fc.constantFrom(20, 1000),
        on_trip: trigger,
      })
      .map((one) => ({ kind: 'breaker', effect: { breaker: one } })),
    fc
      .record({
        scope,
        window_ms: fc.constantFrom(10, 1000),
        key: fc.constant('args_hash'),
        on_duplicate: fc.constant('BLOCK'),
      })
      .map((one) => ({ kind: 'dedupe', effect: { dedupe: one } })),
  );
  const rules = fc
    .array(fc.tuple(match, effects), { minLength: 1, maxLength: 5 })
    .map((list) => list.map(([where, one], at): Rule => ({ rule_id: `r${at}`, match: where, ...one })));
  const calls = fc.array(
    fc.record({
      args,
      tool: fc.constantFrom('t1', 't2'),
      hidden: fc.subarray([...keys]),
      isHidden: fc.integer({ min: 0, max: 3 }),
      step: fc.integer({ min: 0, max: 30 }),
      status: fc.constantFrom('OK', 'ERROR'),
      was: fc.constantFrom(ALLOWED, ALLOWED, BLOCKED),
    }),
    { maxLength: 12 },
  );

  it('is never told otherwise than with all of them', () => {
    let known = 0;
    let unknown = 0;
    fc.assert(
      fc.property(rules, calls, (made, history) => {
        const snapshot = policy(made);
        const [full, partly] = [replayOf(snapshot), replayOf(snapshot)];
        let ts = 0;
        for (const { args: values, tool, hidden, isHidden, step, status, was } of history) {
          ts += step;
          const base = call(whole(values), { tool_name: tool, ts, was });
          const shown = Object.fromEntries(
            Object.entries(values).filter(([key]) => !hidden.includes(key as 'a')),
          );
          const absent = keys.filter((key) => !hidden.includes(key) && !Object.hasOwn(values, key));
          const present = step % 2 === 0 ? hidden.filter((key) => Object.hasOwn(values, key)) : [];
          const less = isHidden > 0 ? base : { ...base, args: () => part(shown, absent, present) };
          const [all, some] = [full.call(base), partly.call(less)];
          expect(all.verdict).not.toBe('unknown');
          if (some.verdict === 'unknown') unknown += 1;
          else {
            known += 1;
            expect(told(some)).toEqual(told(all));
          }
          for (const replay of [full, partly]) replay.end('run', base.ref, { status, latency_ms: 1 }, ts);
        }
      }),
      { numRuns: isLong ? 4000 : 140 },
    );
    expect(known).toBeGreaterThan(unknown / 4);
    expect(unknown).toBeGreaterThan(isLong ? 100 : 20);
  });
});

const told = ({ verdict, now, would }: Replayed): unknown => ({
  verdict,
  action: now?.action,
  rule: now?.rule_id,
  would,
});

describe('what is known of arguments', () => {
  const kept = { preview: null, truncated: false, redactions: 0, uninspected: false, facts: {} };

  it('is all of a preview that shows all of them', () => {
    expect(knownArgs({ ...kept, preview: '{"a":1}' })).toEqual(whole({ a: 1 }));
    expect(knownArgs({ ...kept, uninspected: true })).toMatchObject({ kind: 'uninspected' });
  });

  it('is of a masked one what is not masked, and never that something was absent', () => {
    const masked = knownArgs({
      ...kept,
      preview: '{"a":"[REDACTED]","b":["x [REDACTED]"],"c":2}',
      redactions: 2,
    });
    expect(masked.kind).toBe('part');
    expect({ ...masked.values }).toEqual({ c: 2 });
    expect(masked.absent.size).toBe(0);
  });

  it('is not all of a preview with a mask that nobody counted', () => {
    expect(knownArgs({ ...kept, preview: '{"a":"[REDACTED]"}' })).toMatchObject({ kind: 'part', values: {} });
  });

  it('is that an argument was there, where only its value was not kept', () => {
    const facts = { a: { omitted: true }, b: { omitted: true } };
    const preview = '{"a":"long","b":"[REDACTED]"}';
    const { values, present } = knownArgs({ ...kept, preview, redactions: 1, facts });
    expect([{ ...values }, [...present]]).toEqual([{ a: 'long' }, ['b']]);
    const hasB = deny('d', { args: { has_keys: ['b'] } });
    const [is, may] = [part({}, [], ['b']), part({})];
    expect(replayOf(policy([hasB])).call(call(is)).verdict).toBe('newly_blocked');
    expect(replayOf(policy([hasB])).call(call(may)).verdict).toBe('unknown');
  });

  it('is of arguments that were not inspected which of those that rules look at were not there', () => {
    const facts = { a: null, b: { omitted: true } };
    const known = knownArgs({ ...kept, uninspected: true, facts });
    expect([known.kind, [...known.absent]]).toEqual(['uninspected', ['a']]);
    const has = (key: string): PolicySnapshot => policy([deny('d', { args: { has_keys: [key] } })]);
    expect(replayOf(has('a')).call(call(known)).verdict).toBe('same');
    expect(replayOf(has('b')).call(call(known)).verdict).toBe('unknown');
    const equals = policy([deny('d', { args: { key_equals: { b: 1 } } })]);
    expect(replayOf(equals).call(call(known)).verdict).toBe('newly_blocked');
  });

  it('is of a cut or expired one what the decision noted', () => {
    const facts = { a: 1, b: null, c: { omitted: true } };
    for (const preview of [null, '{"a":2,"b"']) {
      const { kind, values, absent } = knownArgs({ ...kept, preview, truncated: true, facts });
      expect([kind, { ...values }, [...absent]]).toEqual(['part', { a: 1 }, ['b']]);
    }
    expect(knownArgs({ ...kept, preview: 'no json', redactions: 1 }).kind).toBe('part');
  });
});

describe('the tally of a replay', () => {
  it('has a group for each outcome, rule and tool, with the first calls of it', () => {
    const replay = replayOf(policy([onAll]));
    const tally = new ReplayTally();
    for (let at = 0; at < 5; at += 1) {
      const one = call(whole({}), { tool_name: at < 4 ? 'read' : 'list' });
      tally.add(one, `call-${at}`, replay.call(one));
    }
    expect(tally.counts).toMatchObject({ newly_blocked: 5, same: 0 });
    expect(tally.groups).toMatchObject([
      { tool_name: 'read', rule_id: 'all', count: 4, examples: ['call-0', 'call-1', 'call-2'] },
      { tool_name: 'list', count: 1 },
    ]);
    expect(tally.lost).toBe(5);
  });

  it('stays small where everything is different', () => {
    const replay = replayOf(policy([onAll]));
    const tally = new ReplayTally();
    for (let at = 0; at < 5000; at += 1) {
      const one = call(whole({}), { tool_name: `t${at}` });
      tally.add(one, `call-${at}`, replay.call(one));
    }
    expect(tally.groups.length).toBeLessThanOrEqual(2010);
    expect(tally.groups.reduce((sum, { count }) => sum + count, 0)).toBe(5000);
  });
});

const onAll = deny('all', {});
