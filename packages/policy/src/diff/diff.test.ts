import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';
import { decide } from '../decide/decide.js';
import { PolicyState } from '../meter/policy-state.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import { diffSummary } from './diff.js';

const isLong = process.env['SUB_LONG'] !== undefined;

interface RuleParts {
  readonly rule_id: string;
  readonly kind: 'allow' | 'deny' | 'tag';
  readonly enabled?: boolean;
  readonly match?: object;
  readonly message?: string;
}
interface Parts {
  readonly mode?: string;
  readonly no_match?: string;
  readonly fail_open_read_tools?: boolean;
  readonly decision_on_error?: string;
  readonly selectors?: object;
  readonly tools?: readonly object[];
  readonly programs?: object;
  readonly version?: string;
  readonly rules?: readonly RuleParts[];
}

function snapshotOf({
  mode,
  no_match,
  fail_open_read_tools = false,
  decision_on_error,
  selectors,
  tools,
  programs,
  version,
  rules = [],
}: Parts): PolicySnapshot {
  const bundle = {
    policy_id: 'p',
    version: version ?? '1',
    mode: mode ?? 'guardrails',
    defaults: {
      decision_on_error: decision_on_error ?? 'BLOCK',
      fail_open_read_tools,
      no_match: no_match ?? 'ALLOW',
    },
    selectors: selectors ?? {},
    ...(tools === undefined ? {} : { tools }),
    ...(programs === undefined ? {} : { programs }),
    rules: rules.map(({ rule_id, kind, enabled = true, match = {}, message = 'm' }) => {
      const access = { action: kind === 'allow' ? 'ALLOW' : 'BLOCK', reason_code: 'R', message };
      const effect = kind === 'tag' ? { tag: { add_risk_class: ['t'] } } : access;
      return { rule_id, kind, enabled, severity: 'warn', match, effect };
    }),
  };
  const result = compilePolicy(JSON.stringify(bundle));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
}

const a = { tool_name: { glob: ['a*'] } };
const denyA: RuleParts = { rule_id: 'a', kind: 'deny', match: a };
const allowB: RuleParts = { rule_id: 'b', kind: 'allow', match: { tool_name: { glob: ['b'] } } };
const tagT: RuleParts = { rule_id: 't', kind: 'tag' };
const denyT: RuleParts = { rule_id: 'd', kind: 'deny', match: { risk_class: ['t'] } };

describe('the difference of two policies', () => {
  it.each<[string, Parts, Parts, boolean, boolean, readonly string[]]>([
    ['nothing', { rules: [denyA] }, { rules: [denyA] }, false, false, []],
    ['a new version', {}, { version: '2' }, false, false, ['version: `1` → `2`']],
    ['a removed deny', { rules: [denyA] }, {}, true, false, ['removed deny `a`']],
    [
      'a disabled deny',
      { rules: [denyA] },
      { rules: [{ ...denyA, enabled: false }] },
      true,
      false,
      ['disabled deny `a`'],
    ],
    [
      'an enabled deny',
      { rules: [{ ...denyA, enabled: false }] },
      { rules: [denyA] },
      false,
      true,
      ['enabled deny `a`'],
    ],
    [
      'a deny of more',
      { rules: [denyA] },
      { rules: [{ ...denyA, match: {} }] },
      false,
      true,
      ['deny `a` matches more calls'],
    ],
    [
      'a deny of less',
      { rules: [{ ...denyA, match: {} }] },
      { rules: [denyA] },
      true,
      false,
      ['deny `a` matches fewer calls'],
    ],
    [
      'a deny of other calls',
      { rules: [denyA] },
      { rules: [{ ...denyA, match: { tool_name: { glob: ['b*'] } } }] },
      true,
      true,
      ['deny `a` matches other calls'],
    ],
    [
      'a deny under another name',
      { rules: [denyA] },
      { rules: [{ ...denyA, rule_id: 'z' }] },
      false,
      true,
      ['removed deny `a`', 'added deny `z`'],
    ],
    [
      'a reworded deny',
      { rules: [denyA] },
      { rules: [{ ...denyA, message: 'x' }] },
      false,
      false,
      ['changed the words of deny `a`'],
    ],
    ['an added deny', {}, { rules: [denyA] }, false, true, ['added deny `a`']],
    [
      'an allow before a deny of other calls',
      { rules: [denyA] },
      { rules: [allowB, denyA] },
      false,
      false,
      ['added allow `b`'],
    ],
    [
      'an allow before a deny of the same calls',
      { rules: [denyA] },
      { rules: [{ ...allowB, match: a }, denyA] },
      true,
      false,
      ['added allow `b`'],
    ],
    [
      'an allow after all denies',
      { rules: [denyA] },
      { rules: [denyA, allowB] },
      false,
      false,
      ['added allow `b`'],
    ],
    [
      'an allow where the default blocks',
      { no_match: 'BLOCK' },
      { no_match: 'BLOCK', rules: [allowB] },
      true,
      false,
      ['added allow `b`'],
    ],
    [
      'a removed allow',
      { rules: [{ ...allowB, match: a }, denyA] },
      { rules: [denyA] },
      false,
      true,
      ['removed allow `b`'],
    ],
    ['a tag that nobody looks at', {}, { rules: [tagT] }, false, false, ['added tag `t`']],
    [
      'a tag that a deny looks at',
      { rules: [denyT] },
      { rules: [tagT, denyT] },
      false,
      true,
      ['added tag `t`'],
    ],
    [
      'a tag that an allow looks at',
      { rules: [tagT, { ...denyT, kind: 'allow' }, denyA] },
      { rules: [{ ...denyT, kind: 'allow' }, denyA] },
      false,
      true,
      ['removed tag `t`'],
    ],
    [
      'an order that does not matter',
      { rules: [allowB, denyA] },
      { rules: [denyA, allowB] },
      false,
      false,
      ['moved deny `a` up, without effect on what passes'],
    ],
    [
      'a deny that stands above an allow now',
      { rules: [{ ...allowB, match: a }, denyA] },
      { rules: [denyA, { ...allowB, match: a }] },
      false,
      true,
      ['moved deny `a` up'],
    ],
    [
      'an allow that stands above a deny now',
      { rules: [denyA, { ...allowB, match: a }] },
      { rules: [{ ...allowB, match: a }, denyA] },
      true,
      false,
      ['moved allow `b` up'],
    ],
    [
      'a tag that stands below its deny now',
      { rules: [tagT, denyT] },
      { rules: [denyT, tagT] },
      true,
      false,
      ['moved deny `d` up'],
    ],
    ['observe', {}, { mode: 'observe' }, true, false, ['mode: `guardrails` → `observe`']],
    ['guardrails', { mode: 'observe' }, {}, false, true, ['mode: `observe` → `guardrails`']],
    [
      'a default that allows',
      { no_match: 'BLOCK' },
      {},
      true,
      false,
      ['defaults.no_match: `BLOCK` → `ALLOW`'],
    ],
    [
      'reads that go on without a gateway',
      {},
      { fail_open_read_tools: true },
      true,
      false,
      ['defaults.fail_open_read_tools: `false` → `true`'],
    ],
    [
      'errors that allow',
      {},
      { decision_on_error: 'ALLOW' },
      true,
      false,
      ['defaults.decision_on_error: `BLOCK` → `ALLOW`'],
    ],
    [
      'programs that no rule looks at',
      {},
      { programs: { a: { network: true } } },
      false,
      false,
      ['changed `programs`'],
    ],
    ['keys that no rule looks at', {}, { tools: [{ paths: ['a'] }] }, false, false, ['changed `tools`']],
    [
      'keys that rules look at',
      { rules: [{ rule_id: 'p', kind: 'deny', match: { path: { under: ['/etc'] } } }] },
      {
        rules: [{ rule_id: 'p', kind: 'deny', match: { path: { under: ['/etc'] } } }],
        tools: [{ paths: ['a'] }],
      },
      true,
      true,
      ['changed `tools`'],
    ],
    ['fewer agents', {}, { selectors: { env: ['dev'] } }, false, true, ['selectors narrowed']],
    ['more agents', { selectors: { env: ['dev'] } }, {}, true, false, ['selectors widened']],
    [
      'other agents',
      { selectors: { env: ['dev'] } },
      { selectors: { client: ['codex'] } },
      true,
      true,
      ['selectors changed'],
    ],
  ])('is told for %s', (_name, before, after, loosened, tightened, changes) => {
    expect(diffSummary(snapshotOf(before), snapshotOf(after))).toEqual({ loosened, tightened, changes });
  });

  it('never overlooks a call that is newly allowed or newly blocked', () => {
    const match = fc.constantFrom(
      {},
      a,
      { tool_name: { glob: ['ab'] } },
      { risk_class: ['t'] },
      { args: { has_keys: ['x'] } },
    );
    const rule = fc.record({
      rule_id: fc.constantFrom('1', '2', '3', '4'),
      kind: fc.constantFrom('allow' as const, 'deny' as const, 'tag' as const),
      enabled: fc.boolean(),
      match,
    });
    const parts = fc.record({
      mode: fc.constantFrom('guardrails', 'guardrails', 'observe'),
      no_match: fc.constantFrom('ALLOW', 'BLOCK'),
      rules: fc.uniqueArray(rule, { selector: ({ rule_id }) => rule_id, maxLength: 4 }),
      selectors: fc.constantFrom({}, {}, { env: ['dev'] }, { env: ['ci'] }),
    });
    fc.assert(
      fc.property(parts, parts, (one, two) => {
        const [before, after] = [snapshotOf(one), snapshotOf(two)];
        const { loosened, tightened } = diffSummary(before, after);
        for (const tool_name of ['a', 'ab', 'b']) {
          for (const args of [{}, { x: 1 }, undefined]) {
            const [was, is] = [before, after].map((snapshot) => actionOf(snapshot, tool_name, args));
            expect(loosened || was === 'ALLOW' || is !== 'ALLOW').toBe(true);
            expect(tightened || was !== 'ALLOW' || is === 'ALLOW').toBe(true);
          }
        }
      }),
      { numRuns: isLong ? 2500 : 90 },
    );
  });
});

function actionOf(snapshot: PolicySnapshot, tool_name: string, args: { x?: number } | undefined): string {
  const identity = { agent_id: 'agent', client: 'claude', env: 'dev' } as const;
  const call = {
    server_name: 's',
    tool_name,
    args: args === undefined ? undefined : { ...args },
    args_hash: 'hash',
    identity,
  };
  return decide(snapshot, PolicyState.empty(), call, 0).effective.action;
}
