import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PatternPool } from '../pattern/pool.js';
import { compilePolicy } from '../compile.js';
import type { PolicyCall } from '../match/call.js';
import { PolicyState } from '../meter/policy-state.js';
import { snapshotFromPlain } from '../snapshot/from-plain.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import { decide, explain } from '../decide/decide.js';
import { NameIndex } from './name-index.js';

const isLong = process.env['SUB_LONG'] !== undefined;

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'ab', 'abc', '_', '-', 'é', '😀'), maxLength: 6 });
const globPart = fc.oneof(
  text,
  fc.constantFrom('*', '?', '[ab]', '[!a]', '{a,bc}', '{abc_a,_,abcabcab}', String.raw`\*`, String.raw`\{`),
);
const glob = fc.array(globPart, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
const regexPart = fc.oneof(
  text,
  fc.constantFrom(
    '.',
    '.*',
    '(ab|c)',
    '[a-c]',
    '[]a]',
    '[^]a]',
    'a?',
    'b*',
    'ab{2}',
    'c+',
    '|',
    '(?i)',
    '(?i:A)',
    String.raw`\x61`,
    String.raw`\Qab\E`,
    '^',
    '$',
    '(a(b|c)_)?',
  ),
);
const regex = fc.array(regexPart, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
const name = fc.oneof(
  text,
  fc.tuple(text, text, text).map((parts) => parts.join('')),
  fc.constant('ABC_abcabcab'),
);

function patternsOf(
  pool: PatternPool,
  kind: 'glob' | 'regex',
  sources: readonly string[],
): ReturnType<PatternPool['names']>['patterns'] {
  return sources.flatMap((source) => {
    try {
      return pool.names({ [kind]: [source] }).patterns;
    } catch {
      return [];
    }
  });
}

describe('an index of patterns', () => {
  it('finds exactly those that match a name', () => {
    fc.assert(
      fc.property(fc.array(glob), fc.array(regex), fc.array(name), (globs, regexes, names) => {
        const pool = new PatternPool();
        const all = new Set([...patternsOf(pool, 'glob', globs), ...patternsOf(pool, 'regex', regexes)]);
        const patterns = [...all];
        const index = new NameIndex(patterns);
        for (const one of names) {
          const found = index.matching(one);
          expect(new Set(found)).toEqual(new Set(patterns.filter(({ test }) => test(one))));
          expect(found.length).toBe(new Set(found).size);
        }
      }),
      { numRuns: isLong ? 5000 : 170 },
    );
  });
});

const identity = { agent_id: 'agent', client: 'claude', env: 'dev' } as const;
const names = fc.record({
  glob: fc.array(fc.constantFrom('*', 'get_*', '*_file', 'get_file', '{a,b}', '?')),
});
const match = fc.record({ server_name: names, tool_name: names }, { requiredKeys: [] });
const rule = fc.record({
  match,
  kind: fc.constantFrom('allow', 'deny', 'tag', 'budget'),
  enabled: fc.boolean(),
});

const EFFECTS: Readonly<Record<string, object>> = {
  allow: { action: 'ALLOW', reason_code: 'R', message: '' },
  deny: { action: 'BLOCK', reason_code: 'R', message: '' },
  tag: { tag: { add_risk_class: ['t'] } },
  budget: { budget: { scope: 'tool', limit_calls: 1, on_exceed: 'BLOCK' } },
};

function snapshotOf(
  rules: readonly { kind: string; match: object; enabled: boolean }[],
): PolicySnapshot | undefined {
  const written = rules.map((one, at) => ({
    ...one,
    rule_id: `r${at}`,
    severity: 'info',
    effect: EFFECTS[one.kind],
  }));
  const frame = {
    policy_id: 'p',
    version: '1',
    mode: 'guardrails',
    defaults: { decision_on_error: 'BLOCK' },
  };
  const result = compilePolicy(JSON.stringify({ ...frame, selectors: {}, rules: written }));
  return result.ok ? result.snapshot : undefined;
}

describe('deciding through the index', () => {
  it('is the same as asking every rule', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 8 }), (rules) => {
        const snapshot = snapshotOf(rules);
        fc.pre(snapshot !== undefined);
        const state = PolicyState.empty();
        for (const tool_name of ['get_file', 'get_x', 'a', 'b_file', 'get_file']) {
          for (const server_name of ['a', 'get_1', 'x_file']) {
            const call: PolicyCall = { server_name, tool_name, args: {}, args_hash: 'h', identity };
            const { trace, ...explained } = explain(snapshot, state, call, 0);
            expect(decide(snapshot, state, call, 0)).toEqual(explained);
            expect(trace.length).toBeGreaterThanOrEqual(snapshot.rules.length);
            state.apply(explained.charge, 0);
          }
        }
      }),
    );
  });

  it('forgets names that were asked for long ago, and finds their rules again', () => {
    const snapshot = snapshotOf([
      { kind: 'deny', enabled: true, match: { tool_name: { glob: ['tool_*7'] } } },
    ]);
    if (snapshot === undefined) throw new Error('does not load');
    const said = (tool_name: string): string => {
      const call: PolicyCall = { server_name: 's', tool_name, args: {}, args_hash: 'h', identity };
      return decide(snapshot, PolicyState.empty(), call, 0).decision.action;
    };
    for (let at = 0; at < 30_000; at += 1) expect(said(`tool_${at}`)).toBe(at % 10 === 7 ? 'BLOCK' : 'ALLOW');
    expect([said('tool_7'), said('tool_8')]).toEqual(['BLOCK', 'ALLOW']);
  });

  it('is the same of a snapshot that was built from its normal form', () => {
    const snapshot = snapshotOf([{ kind: 'deny', enabled: true, match: { tool_name: { glob: ['x*'] } } }]);
    if (snapshot === undefined) throw new Error('does not load');
    const again = snapshotFromPlain(JSON.parse(JSON.stringify(snapshot.plain)));
    const call: PolicyCall = { server_name: 's', tool_name: 'xy', args: {}, args_hash: 'h', identity };
    expect(decide(again, PolicyState.empty(), call, 0)).toEqual(
      decide(snapshot, PolicyState.empty(), call, 0),
    );
  });
});
