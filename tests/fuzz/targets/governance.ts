import { newSignerKey, readSignerKey } from '@subluminal/core-types';
import {
  BUILTIN_OBSERVE,
  comparePolicies,
  compilePolicy,
  openSignature,
  readCases,
  runCases,
  signStatement,
  statementOf,
} from '@subluminal/policy';
import { NO_KEYS, readCall } from '@subluminal/readings';
import { promise, type Target } from '../engine/target.js';

const CASES = `identity: { agent_id: a, client: claude, env: dev, workload: { labels: { a: b } } }
tools: { s/t: { type: object } }
cases:
  - name: one
    at: "2026-01-31T12:00:00Z"
    calls:
      - { call: s/t, args: { a: [1, null] }, end: { status: ERROR, latency_ms: 5 }, expect: ALLOW }
      - call: ["s/s", t]
        uninspected: [a]
        raised: [write_like]
        after_ms: 10
        times: 2
        expect: { action: BLOCK, rule_id: null, tags: [a], hint: { suggested_args: {} }, terminate: {} }
`;

/** Files of cases: no text makes reading throw, and what was read can be put to a policy. */
export const policyCases: Target = {
  name: 'policy-cases',
  seeds: [CASES, 'cases: []', '{"cases":[{"name":"a","calls":[{"call":"s/t","expect":"ALLOW"}]}]}'].map(
    (text) => Buffer.from(text),
  ),
  words: [
    ': ',
    '\n',
    '  ',
    '- ',
    '{',
    '}',
    '[',
    ']',
    '"',
    '*a',
    '&a ',
    'null',
    '-1',
    '1e9',
    '99999999',
    'name: x',
    'calls:',
    'times: 2',
    'at: ',
    '"9999-12-31T23:59:59Z"',
    'expect: THROTTLE',
    '__proto__: 1',
    'labels: { __proto__: a }',
    's/',
    '/t',
  ],
  maxBytes: 2048,
  run(input) {
    const read = readCases(input.toString('utf8'));
    if (!read.ok) {
      promise(read.problems.length > 0 && read.problems.length <= 200, 'what is not read has problems');
      return false;
    }
    const few = read.file.cases.map((one) => ({
      ...one,
      calls: one.calls.map((call) => ({ ...call, times: Math.min(call.times, 3) })),
    }));
    const results = runCases(BUILTIN_OBSERVE, { ...read.file, cases: few }, (server, tool, args) =>
      readCall(
        { server, tool, args, keys: NO_KEYS },
        { project: undefined, home: '/home/a', tmp: '/tmp', cwd: ['/'] },
      ),
    );
    promise(results.length === few.length, 'every case has a result');
    return true;
  },
};

const POLICY =
  'policy_id: "p"\nversion: "1"\nmode: guardrails\ndefaults: { decision_on_error: BLOCK }\nselectors: {}\nrules: []\n';

/** Signed policies: nothing opens but what a listed key has signed, in the one spelling that it has. */
export function policySignatures(): Target {
  const compiled = compilePolicy(POLICY);
  const key = readSignerKey(newSignerKey('alice', (size) => Buffer.alloc(size, 7)));
  const other = readSignerKey(newSignerKey('bob', (size) => Buffer.alloc(size, 8)));
  if (!compiled.ok || key === undefined || other === undefined) throw new Error('nothing to sign');
  const statement = statementOf(compiled.snapshot, POLICY, { serial: 7, now: 1_760_000_000_000 });
  const honest = signStatement(statement, key);
  const [text = '', line = ''] = honest.split('\n\n');
  const stranger = signStatement({ ...statement, serial: 9 }, other);
  return {
    name: 'policy-signatures',
    seeds: [honest, stranger, `${honest}${stranger.split('\n\n')[1] ?? ''}`].map((one) => Buffer.from(one)),
    words: [
      '\n\n',
      '\n',
      '— ',
      'alice',
      'bob',
      line,
      'serial 8',
      'serial 07',
      '"p"',
      '"\\u0070"',
      ' ',
      '\u{a0}',
    ],
    maxBytes: 2048,
    run(input) {
      const opened = openSignature(input.toString('utf8'), [key.verifier]);
      if (typeof opened === 'string') return false;
      promise(input.toString('utf8').startsWith(`${text}\n\n`), 'only what was signed opens');
      promise(opened.serial === 7 && opened.signer === 'alice', 'and says what was signed');
      return true;
    },
  };
}

/** A policy compared with itself has not changed, whatever stands in it. */
export function comparesWithItself(source: string): void {
  const compiled = compilePolicy(source);
  if (!compiled.ok) return;
  const { changes, loosened, tightened } = comparePolicies(compiled.snapshot, compiled.snapshot);
  promise(changes.length === 0 && !loosened && !tightened, 'a policy is what it is');
}
