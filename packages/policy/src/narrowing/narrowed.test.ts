import { sha256Hex } from '@subluminal/core-types';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';
import { chargeData, chargeFrom } from '../meter/charge-data.js';
import type { Charge } from '../meter/charge.js';
import { PolicyState } from '../meter/policy-state.js';
import { projectPolicy, runPolicy, type PolicySnapshot } from '../snapshot/snapshot.js';
import { decideNarrowed, explainNarrowed } from './narrowed.js';
import type { Narrowing } from './narrowing.js';
import { decide } from '../decide/decide.js';

const ORDER = ['ALLOW', 'THROTTLE', 'REJECT_WITH_HINT', 'BLOCK', 'TERMINATE_RUN'];
const TOOLS = ['a', 'b', 'ab'] as const;
/** A call of a tool that may be called, of which no policy reads an object. */
const BARE = { held: undefined, readingsOf: () => undefined };

const glob = fc.constantFrom('a*', 'ab', '*b', '*');
const refusal = fc.constantFrom('BLOCK', 'REJECT_WITH_HINT', 'TERMINATE_RUN');
const scope = fc.constantFrom('run', 'tool', 'server_tool');
const EXTRAS: Readonly<Record<string, object>> = {
  REJECT_WITH_HINT: { hint_text: 'otherwise' },
  TERMINATE_RUN: { terminate_code: 'END' },
};

const rule = fc.oneof(
  fc
    .record({ glob })
    .map((one) => written('allow', one.glob, { action: 'ALLOW', reason_code: 'R', message: '' })),
  fc
    .record({ glob })
    .map((one) => written('deny', one.glob, { action: 'BLOCK', reason_code: 'R', message: '' })),
  fc.record({ glob, scope, on: refusal, limit: fc.integer({ min: 0, max: 4 }) }).map((one) =>
    written('budget', one.glob, {
      budget: { scope: one.scope, limit_calls: one.limit, on_exceed: one.on, ...EXTRAS[one.on] },
    }),
  ),
  fc.record({ glob, scope, capacity: fc.integer({ min: 1, max: 3 }) }).map(({ glob: pattern, ...size }) =>
    written('rate_limit', pattern, {
      rate_limit: { ...size, refill_tokens: 1, refill_period_ms: 40, on_limit: 'THROTTLE', backoff_ms: 5 },
    }),
  ),
  fc.record({ glob, scope }).map((one) =>
    written('dedupe', one.glob, {
      dedupe: { scope: one.scope, window_ms: 50, key: 'args_hash', on_duplicate: 'BLOCK' },
    }),
  ),
  fc.record({ glob, scope }).map((one) =>
    written('breaker', one.glob, {
      breaker: {
        scope: one.scope,
        error_threshold: 2,
        window_ms: 100,
        repeat_threshold: 3,
        repeat_window_ms: 100,
        on_trip: 'BLOCK',
      },
    }),
  ),
);
const policy = fc.record({
  mode: fc.constantFrom('guardrails', 'observe', 'control'),
  no_match: fc.constantFrom('ALLOW', 'ALLOW', 'BLOCK'),
  selectors: fc.constantFrom({}, {}, {}, { env: ['prod'] }),
  rules: fc.array(rule, { maxLength: 4 }),
});
const steps = fc.array(
  fc.record({
    tool: fc.constantFrom(...TOOLS),
    hash: fc.constantFrom('h1', 'h2'),
    pause: fc.constantFrom(0, 10, 60),
    failed: fc.boolean(),
  }),
  { maxLength: 25 },
);

function written(kind: string, pattern: string, effect: object): object {
  return { kind, enabled: true, severity: 'warn', match: { tool_name: { glob: [pattern] } }, effect };
}

type Parts = typeof policy extends fc.Arbitrary<infer Value> ? Value : never;

/** The rules of both policies have the same ids: r0, r1, … */
function snapshotOf({ rules, no_match, ...rest }: Parts): PolicySnapshot {
  const bundle = {
    policy_id: 'p',
    version: '1',
    ...rest,
    defaults: { decision_on_error: 'BLOCK', no_match },
    rules: rules.map((one, at) => ({ rule_id: `r${at}`, ...one })),
  };
  const compiled = compilePolicy(JSON.stringify(bundle));
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.snapshot;
}

const callOf = (tool_name: string, args_hash: string) => ({
  server_name: 's',
  tool_name,
  args: {},
  args_hash,
  identity: { agent_id: 'agent', client: 'claude' as const, env: 'dev' as const },
});

/** The files of two projects. */
const PROJECTS = ['/one/.subluminal.yaml', '/two/.subluminal.yaml'] as const;

/** The policies that narrow, and which items of a charge are theirs. */
function narrowing(plain: readonly [PolicySnapshot, PolicySnapshot, PolicySnapshot]): readonly Narrowing[] {
  const [run, outer, inner] = plain;
  return [
    { kind: 'run', snapshot: runPolicy(run) },
    { kind: 'project', snapshot: projectPolicy(outer, PROJECTS[0]) },
    { kind: 'project', snapshot: projectPolicy(inner, PROJECTS[1]) },
  ];
}

const narrows = (snapshot: PolicySnapshot): Narrowing => ({ kind: 'run', snapshot: runPolicy(snapshot) });

const ownerOf = ({ scope: counted, rule_id }: Charge[number]): number => {
  if (counted.startsWith('own_')) return 1;
  if (!counted.startsWith('project_')) return 0;
  return rule_id.startsWith(`${sha256Hex(PROJECTS[0]).slice(0, 16)}:`) ? 2 : 3;
};

describe('policies that narrow that of the home', () => {
  it('decide as each would alone, and the strictest answer holds: none loosens another, whatever happened before', () => {
    fc.assert(
      fc.property(policy, fc.tuple(policy, policy, policy), steps, (one, others, calls) => {
        const home = snapshotOf(one);
        const [run, outer, inner] = others;
        const more = narrowing([snapshotOf(run), snapshotOf(outer), snapshotOf(inner)]);
        const all = [home, ...more.map(({ snapshot }) => snapshot)];
        let state = PolicyState.empty();
        const states = all.map(() => PolicyState.empty());
        let now = 1000;
        for (const { tool, hash, pause, failed } of calls) {
          now += pause;
          const call = callOf(tool, hash);
          const together = decideNarrowed(home, more, state, call, now, BARE);
          const alone = all.map((snapshot, at) => decide(snapshot, states[at] ?? state, call, now));
          expect(together.answers.map(({ effective }) => effective)).toEqual(
            alone.map(({ effective }) => effective),
          );
          const places = alone.map(({ effective }) => ORDER.indexOf(effective.action));
          const place = ORDER.indexOf(together.effective.action);
          expect(place).toBe(Math.max(...places));
          expect(place).toBeGreaterThanOrEqual(places[0] ?? Infinity);
          expect(together.effective).toEqual(alone[together.by]?.effective);
          expect(explainNarrowed(home, more, state, call, now, BARE).effective).toEqual(together.effective);
          const apply = (each: (kept: PolicyState, at: number | undefined) => void): void => {
            each(state, undefined);
            states.forEach(each);
          };
          const chargeOf = (charge: Charge, at: number | undefined): Charge =>
            charge.filter((item) => at === undefined || ownerOf(item) === at);
          apply((kept, at) => kept.apply(chargeOf(together.charge, at), now));
          if (together.effective.action !== 'ALLOW') continue;
          const end = { status: failed ? 'ERROR' : 'OK', latency_ms: 1 } as const;
          // As a restart does: what was recorded is read again.
          const recorded = chargeFrom(JSON.parse(JSON.stringify(chargeData(together.charge))));
          apply((kept, at) => kept.settle(chargeOf(recorded, at), end, now));
          state = PolicyState.fromJSON(JSON.parse(JSON.stringify(state.toJSON())));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('have no meter in common, though their rules have the same ids', () => {
    const budget = (limit_calls: number) =>
      snapshotOf({
        mode: 'guardrails',
        no_match: 'ALLOW',
        selectors: {},
        rules: [written('budget', '*', { budget: { scope: 'run', limit_calls, on_exceed: 'BLOCK' } })],
      });
    const state = PolicyState.empty();
    const actions = Array.from({ length: 4 }, () => {
      const more = [narrows(budget(2))];
      const { effective, by, charge } = decideNarrowed(budget(3), more, state, callOf('a', 'h'), 0, BARE);
      state.apply(charge, 0);
      return `${effective.action} ${by === 0 ? 'home' : 'run'}`;
    });
    // The third is still charged to the home's: what one policy refuses, the other has seen.
    expect(actions).toEqual(['ALLOW home', 'ALLOW home', 'BLOCK run', 'BLOCK home']);
  });

  it('of which one only observes: what it would have refused is told, and nothing of it enforced', () => {
    const deny = [written('deny', 'a', { action: 'BLOCK', reason_code: 'NO', message: 'no' })];
    const rest = { no_match: 'ALLOW', selectors: {} } as const;
    const open = snapshotOf({ mode: 'guardrails', ...rest, rules: [] });
    const closed = snapshotOf({ mode: 'guardrails', ...rest, rules: deny });
    const watching = narrows(snapshotOf({ mode: 'observe', ...rest, rules: deny }));
    const watched = decideNarrowed(open, [watching], PolicyState.empty(), callOf('a', 'h'), 0, BARE);
    expect([watched.by, watched.effective.action, watched.decision.action]).toEqual([1, 'ALLOW', 'BLOCK']);
    const both = decideNarrowed(closed, [watching], PolicyState.empty(), callOf('a', 'h'), 0, BARE);
    expect([both.by, both.effective.action]).toEqual([0, 'BLOCK']);
  });

  it('do not let a held tool through', () => {
    const open = snapshotOf({ mode: 'observe', no_match: 'ALLOW', selectors: {}, rules: [] });
    const held = { reason: 'TOOL_HELD', summary: 'held' } as const;
    const { effective } = decideNarrowed(open, [narrows(open)], PolicyState.empty(), callOf('a', 'h'), 0, {
      ...BARE,
      held,
    });
    expect(effective).toMatchObject({ action: 'BLOCK', reason_code: 'TOOL_HELD' });
  });

  it('block a tool that no server lists unless both only observe', () => {
    const open = (mode: 'observe' | 'control') =>
      snapshotOf({ mode, no_match: 'ALLOW', selectors: {}, rules: [] });
    const held = { reason: 'UNKNOWN_TOOL', summary: 'never listed' } as const;
    const action = (home: 'observe' | 'control', run: 'observe' | 'control') =>
      decideNarrowed(open(home), [narrows(open(run))], PolicyState.empty(), callOf('a', 'h'), 0, {
        ...BARE,
        held,
      }).effective.action;
    expect(action('observe', 'observe')).toBe('ALLOW');
    expect(action('observe', 'control')).toBe('BLOCK');
    expect(action('control', 'observe')).toBe('BLOCK');
  });
});

it('reads the schema of a tool only where a rule suggests arguments', () => {
  const hint = { action: 'BLOCK', reason_code: 'R', message: '', hint_text: 'otherwise' };
  const budgets = { scope: 'run', limit_calls: 0, on_exceed: 'REJECT_WITH_HINT', hint_text: 'otherwise' };
  const call = { ...callOf('a', 'h'), args: { x: 1 } };
  let reads = 0;
  const options = {
    ...BARE,
    get inputSchema() {
      reads += 1;
      return { type: 'object' };
    },
  };
  const asked = (effect: object, kind: string): void => {
    const rules = [written(kind, '*', effect)];
    const snapshot = snapshotOf({ mode: 'control', no_match: 'ALLOW', selectors: {}, rules });
    decide(snapshot, PolicyState.empty(), call, 0, options);
    decideNarrowed(snapshot, [narrows(snapshot)], PolicyState.empty(), call, 0, options);
  };
  asked(hint, 'deny');
  asked({ budget: budgets }, 'budget');
  expect(reads).toBe(0);
  asked({ ...hint, drop_args: ['x'] }, 'deny');
  expect(reads).toBeGreaterThan(0);
});
