import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readCall } from '@subluminal/readings';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import type { CaseFile } from './case-file.js';
import { readCases } from './read-cases.js';
import { type ReadObjects, runCases } from './run-cases.js';

function compiled(source: string): PolicySnapshot {
  const result = compilePolicy(source);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
}

function casesIn(source: string): CaseFile {
  const result = readCases(source);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.file;
}

const POLICY = compiled(`
policy_id: p
version: "1"
mode: control
defaults: { decision_on_error: BLOCK }
selectors: { env: [ci] }
rules:
  - rule_id: no-rm
    kind: deny
    enabled: true
    severity: critical
    match: { tool_name: { glob: [rm] }, args: { key_equals: { force: true } } }
    effect: { action: BLOCK, reason_code: NO, message: no, hint_text: gently, suggested_args: { force: false } }
  - rule_id: slow
    kind: breaker
    enabled: true
    severity: warn
    match: { tool_name: { glob: [slow] } }
    effect:
      breaker:
        scope: run
        error_threshold: 2
        window_ms: 1000
        latency_threshold_ms: 100
        repeat_threshold: 0
        repeat_window_ms: 1
        on_trip: TERMINATE_RUN
`);
const PLACE = { project: '/project', home: '/home/user', tmp: '/tmp', cwd: ['/project'] };
const READ: ReadObjects = (server, tool, args, keys) => readCall({ server, tool, args, keys }, PLACE);
const run = (calls: string, more = '') =>
  runCases(
    POLICY,
    casesIn(
      `identity: { env: ci }\n${more}cases:\n  - name: one\n    calls:\n${calls.replaceAll(/^/gm, '      ')}\n`,
    ),
    READ,
  );

describe('a case', () => {
  it('passes when every decision is as expected, in the fields that are named', () => {
    expect(
      run(`- { call: s/rm, args: { force: true }, expect: { action: REJECT_WITH_HINT, rule_id: no-rm, severity: critical, hint: { suggested_args: { force: false } } } }
- { call: s/rm, args: { force: false }, expect: ALLOW }
- { call: s/rm, uninspected: [force], expect: { action: REJECT_WITH_HINT, hint: { hint_text: gently, suggested_args: null } } }`),
    ).toEqual([{ name: 'one', line: 3, calls: 3, ok: true, failures: [] }]);
  });

  it('fails at the first call that comes out otherwise, with each difference and the trace', () => {
    const [result] = run(`- { call: s/ls, expect: ALLOW }
- call: s/rm
  args: { force: true }
  expect: { action: BLOCK, rule_id: other, hint: { suggested_args: { force: 0 } } }
- { call: s/ls, expect: BLOCK }`);
    expect(result).toMatchObject({
      ok: false,
      calls: 2,
      failures: [
        {
          call: 2,
          time: 1,
          line: 6,
          tool: 's/rm',
          field: 'action',
          expected: 'BLOCK',
          got: 'REJECT_WITH_HINT',
        },
        { field: 'rule_id', expected: 'other', got: 'no-rm' },
        { field: 'hint.suggested_args', expected: { force: 0 }, got: { force: false } },
      ],
    });
    expect(result?.failures[0]?.trace[0]).toMatchObject({ rule_id: 'no-rm', outcome: 'blocked' });
  });

  it('lets time go by: waits, and what calls take', () => {
    const slow = '{ call: s/slow, end: { latency_ms: 200 }, expect: ALLOW }';
    expect(run(`- ${slow}\n- ${slow}\n- { call: s/slow, expect: TERMINATE_RUN }`)).toMatchObject([
      { ok: true },
    ]);
    expect(run(`- ${slow}\n- ${slow}\n- { call: s/slow, after_ms: 2000, expect: ALLOW }`)).toMatchObject([
      { ok: true },
    ]);
    expect(run(`- ${slow}\n- { call: s/slow, at: "2026-01-01T11:00:00Z", expect: ALLOW }`)).toMatchObject([
      { ok: false, failures: [{ field: null, got: 'a time before the call above it' }] },
    ]);
  });

  it('has no calls behind one that ended the run', () => {
    const end = '{ call: s/slow, end: { status: ERROR }, expect: ALLOW }';
    expect(
      run(`- ${end}\n- ${end}\n- { call: s/slow, expect: TERMINATE_RUN }\n- { call: s/ls, expect: ALLOW }`),
    ).toMatchObject([
      { ok: false, failures: [{ call: 4, field: null, got: 'the run was ended by rule `slow`' }] },
    ]);
  });

  it('is asked by the identity of the file, in the fields that it does not name itself', () => {
    const file = casesIn(`
identity: { env: ci, agent_id: a }
cases:
  - { name: one, identity: { env: dev }, calls: [{ call: s/ls, expect: { action: BLOCK, reason_code: NO_POLICY_APPLIES } }] }
  - { name: two, identity: { agent_id: b }, calls: [{ call: ["a/b", ls], expect: ALLOW }] }
`);
    expect(file.cases.map(({ identity }) => identity)).toMatchObject([
      { env: 'dev', agent_id: 'a' },
      { env: 'ci', agent_id: 'b' },
    ]);
    expect(file.cases[1]?.calls[0]).toMatchObject({ server_name: 'a/b', tool_name: 'ls' });
    expect(runCases(POLICY, file, READ).map(({ ok }) => ok)).toEqual([true, true]);
  });

  it('has counters of its own', () => {
    const budget = compiled(`
policy_id: p
version: "1"
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - { rule_id: b, kind: budget, enabled: true, severity: warn, match: {}, effect: { budget: { scope: run, limit_calls: 2, on_exceed: BLOCK } } }
`);
    const calls = '[{ call: s/ls, times: 2, expect: ALLOW }, { call: s/ls, expect: BLOCK }]';
    const file = casesIn(`cases:\n  - { name: one, calls: ${calls} }\n  - { name: two, calls: ${calls} }\n`);
    expect(runCases(budget, file, READ).map(({ ok, calls: made }) => [ok, made])).toEqual([
      [true, 3],
      [true, 3],
    ]);
  });
});

it('a budget that asks is expected as a refusal with the reason of a question', () => {
  const asks = compiled(`
policy_id: p
version: "1"
mode: control
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - { rule_id: b, kind: budget, enabled: true, severity: warn, match: {}, effect: { budget: { scope: run, limit_calls: 1, on_exceed: ASK } } }
`);
  const expected = '{ action: REJECT_WITH_HINT, rule_id: b, reason_code: APPROVAL_REQUIRED }';
  const file = casesIn(
    `cases:\n  - { name: one, calls: [{ call: s/ls, expect: ALLOW }, { call: s/ls, expect: ${expected} }] }\n`,
  );
  expect(runCases(asks, file, READ).map(({ ok }) => ok)).toEqual([true]);
});

describe('a file of cases', () => {
  it.each<[string, string, string, number, number]>([
    ['no list of cases', 'policy: x.yaml\n', 'missing_key', 1, 1],
    ['an unknown key', 'cases: []\nmore: 1\n', 'unknown_key', 2, 1],
    ['a case without a name', 'cases:\n  - calls: []\n', 'missing_key', 2, 5],
    [
      'a call without what is expected',
      'cases:\n  - name: a\n    calls:\n      - call: s/t\n',
      'missing_key',
      4,
      9,
    ],
    [
      'an action that there is not',
      'cases:\n  - name: a\n    calls:\n      - { call: s/t, expect: DENY }\n',
      'wrong_type',
      4,
      30,
    ],
    [
      'a tool without its server',
      'cases:\n  - name: a\n    calls:\n      - { call: t, expect: ALLOW }\n',
      'wrong_type',
      4,
      17,
    ],
    [
      'a field that no decision has',
      'cases:\n  - name: a\n    calls:\n      - { call: s/t, expect: { action: ALLOW, rule: x } }\n',
      'unknown_key',
      4,
      47,
    ],
    ['a time that is none', 'cases:\n  - name: a\n    at: noon\n    calls: []\n', 'wrong_type', 3, 9],
    [
      'a number that is none',
      'cases:\n  - name: a\n    calls:\n      - { call: s/t, times: -1, expect: ALLOW }\n',
      'wrong_type',
      4,
      29,
    ],
    [
      'two cases of one name',
      'cases:\n  - { name: a, calls: [] }\n  - { name: a, calls: [] }\n',
      'wrong_type',
      3,
      13,
    ],
    [
      'arguments that were and were not inspected',
      'cases:\n  - name: a\n    calls:\n      - { call: s/t, args: {}, uninspected: [], expect: ALLOW }\n',
      'wrong_type',
      4,
      45,
    ],
    ['a client that there is not', 'identity: { client: chrome }\ncases: []\n', 'wrong_type', 1, 21],
    ['text that is no YAML', 'cases: [\n', 'syntax', 2, 1],
  ])('with %s is not read, and says where', (_, source, code, line, column) => {
    const result = readCases(source);
    expect(result.ok ? [] : result.problems).toMatchObject([{ code, line, column, severity: 'error' }]);
  });

  it('tells all mistakes at once, in the order of the file', () => {
    const result = readCases('cases:\n  - name: 1\n    calls: 2\n  - calls: []\n    more: 3\n');
    expect(result.ok ? [] : result.problems.map(({ line, path }) => [line, path])).toEqual([
      [2, 'cases[0].name'],
      [3, 'cases[0].calls'],
      [4, 'cases[1]'],
      [5, 'cases[1].more'],
    ]);
  });
});

describe('a starter policy', () => {
  const folder = fileURLToPath(new URL('../../../../policies/', import.meta.url));
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml') && !name.endsWith('.test.yaml'));

  it('is one of four', () => {
    expect(names.toSorted()).toEqual([
      'ci-strict.yaml',
      'developer-laptop.yaml',
      'observe-everything.yaml',
      'production-read-only.yaml',
    ]);
  });

  it.each(names)('%s lints clean and passes its own tests', (name) => {
    const source = readFileSync(`${folder}${name}`, 'utf8');
    expect(compilePolicy(source)).toMatchObject({ ok: true, warnings: [] });
    expect(source.split('\n')[0]).toBe('# yaml-language-server: $schema=policy.schema.json');
    const snapshot = compiled(source);
    const cases = casesIn(readFileSync(`${folder}${name.replace('.yaml', '.test.yaml')}`, 'utf8'));
    const results = runCases(snapshot, cases, READ);
    expect(results.length).toBeGreaterThan(4);
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    // Each rule that can refuse is shown to do so.
    const shown = new Set(
      cases.cases.flatMap((one) => one.calls.map(({ expect: { fields } }) => fields['rule_id'])),
    );
    const refusing = snapshot.plain.rules.filter(({ kind }) => kind !== 'allow' && kind !== 'tag');
    expect(refusing.filter(({ rule_id }) => !shown.has(rule_id)).map(({ rule_id }) => rule_id)).toEqual([]);
  });
});
