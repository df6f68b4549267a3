import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLedgerReader } from '@subluminal/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { openRawSession, type RawSession } from '../harness/raw-session.js';
import { runSub } from '../harness/resident.js';
import { shimCommand, type Finished } from '../harness/sub.js';

const echo = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));

const rule = (id: string, kind: string, match: string, effect: string): string =>
  `  - { rule_id: ${id}, kind: ${kind}, enabled: true, severity: warn, match: ${match}, effect: ${effect} }\n`;
const POLICY = `policy_id: p
version: '1'
mode: control
defaults: { decision_on_error: BLOCK }
selectors: { client: [unknown, custom, claude, codex, headless] }
rules:
${rule('writes', 'tag', '{ args: { has_keys: [text] } }', '{ tag: { add_risk_class: [write_like] } }')}${rule(
  'no-secrets',
  'deny',
  '{ args: { key_equals: { path: /etc } } }',
  '{ action: BLOCK, reason_code: DENYLIST_MATCH, message: not there, hint_text: "use /tmp", suggested_args: { path: /tmp } }',
)}${rule('six', 'budget', '{ tool_name: { glob: [echo] } }', '{ budget: { scope: run, limit_calls: 6, on_exceed: REJECT_WITH_HINT } }')}${rule(
  'cost',
  'budget',
  '{ risk_class: [write_like] }',
  '{ budget: { scope: tool, limit_cost_units: 10, cost_units_from: n, on_exceed: BLOCK } }',
)}${rule('loop', 'breaker', '{}', '{ breaker: { scope: run, error_threshold: 0, window_ms: 1000, repeat_threshold: 3, repeat_window_ms: 60000, on_trip: BLOCK } }')}${rule(
  'once',
  'dedupe',
  '{ risk_class: [write_like] }',
  '{ dedupe: { scope: run, window_ms: 60000, key: args_hash, on_duplicate: BLOCK } }',
)}${rule('slowly', 'rate_limit', '{ tool_name: { glob: [large] } }', '{ rate_limit: { scope: run, capacity: 2, refill_tokens: 1, refill_period_ms: 3600000, on_limit: THROTTLE, backoff_ms: 100 } }')}`;

const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['echo', { n: 1 }],
  ['echo', { path: '/etc' }],
  ['echo', { text: 'a', n: 4 }],
  ['echo', { text: 'a', n: 4 }],
  ['echo', { text: 'x'.repeat(200), n: 7 }],
  ['echo', { text: 'b', n: 2 }],
  ['echo', { n: 9 }],
  ['echo', { n: 10 }],
  ['other', { n: 1 }],
  ['other', { n: 1 }],
  ['other', { n: 1 }],
  ['other', { n: 1 }],
  ['large', { bytes: 1 }],
  ['large', { bytes: 2 }],
  ['large', { bytes: 3 }],
  ['other', { text: 'token', password: 'hunter2hunter2', path: '/etc' }],
];

let home: TestHome;
let session: RawSession;
let runId: string;
let made: readonly { readonly id: string; readonly code: string | null; readonly rule: unknown }[];
const sub = (...args: string[]): Promise<Finished> => runSub([...args, '--home', home.home]);
const json = async (...args: string[]): Promise<Record<string, unknown>> => {
  const { stdout, stderr } = await sub(...args, '--json');
  expect(stderr).toBe('');
  return JSON.parse(stdout);
};

/** One run of calls that every kind of rule refuses at least once. */
beforeAll(async () => {
  home = createHome({ policy: POLICY });
  expect(await sub('up')).toMatchObject({ code: 0 });
  session = await openRawSession(shimCommand(home.home, 'files', [process.execPath, echo]));
  for (const [name, args] of CALLS) await session.request('tools/call', { name, arguments: args });
  const reader = openLedgerReader(home.ledger);
  made = reader.byType('tool_call_decision', { order: 'asc' }).rows.map(({ code, data }) => ({
    id: String(Reflect.get(Object(data['call']), 'call_id')),
    code,
    rule: Reflect.get(Object(data['decision']), 'rule_id'),
  }));
  runId = reader.runs().rows[0]?.runId ?? '';
  reader.close();
}, 180_000);
afterAll(async () => {
  await session.close();
  await home.remove();
});

describe('what a gateway decided', () => {
  it('was refused by every limit', () => {
    expect(made).toHaveLength(CALLS.length);
    const rules = new Set(made.filter(({ code }) => code !== 'ALLOW').map((one) => String(one.rule)));
    expect([...rules].toSorted()).toEqual(['cost', 'loop', 'no-secrets', 'once', 'six', 'slowly']);
  });

  it('is explained as it was decided, call by call, from the ledger alone', async () => {
    for (const { id, code, rule: ruleId } of made) {
      const explained = await json('policy', 'explain', id);
      expect(explained).toMatchObject({
        notes: [],
        recorded: { action: code, rule_id: ruleId },
        ruling: { decision: { action: code, rule_id: ruleId } },
      });
    }
  });

  it('is the same when its policy is replayed, but for calls whose arguments were not kept', async () => {
    const file = join(home.home, 'policy.yaml');
    expect(await json('policy', 'replay', file)).toMatchObject({
      calls: CALLS.length,
      counts: { same: CALLS.length },
    });
    const stricter = join(home.root, 'stricter.yaml');
    writeFileSync(stricter, POLICY.replace('limit_calls: 6', 'limit_calls: 5').replace('/etc', '/'));
    const { stdout } = await sub('policy', 'replay', stricter, '--details');
    expect(stdout).toMatch(/1 +newly refused/);
    expect(stdout).toMatch(/newly allowed/);
  });

  it('is asked of the gateway for a call that never was, with what a run has used up', async () => {
    const call = '{"server":"files","tool":"echo","args":{"n":1,"m":2}}';
    expect(await json('policy', 'explain', '--if', call)).toMatchObject({
      ruling: { decision: { action: 'ALLOW' } },
    });
    const asked = await json('policy', 'explain', '--if', call, '--run', runId);
    expect(asked).toMatchObject({
      run_id: runId,
      ruling: { decision: { action: 'REJECT_WITH_HINT', rule_id: 'six' } },
    });
    const { stdout } = await sub('policy', 'explain', '--if', call, '--run', runId);
    expect(stdout).toMatch(/^=> +six +budget +limited +6 of 6 calls +BUDGET_EXCEEDED/m);
  });

  it('is shown with the rule, the hint and what to do', async () => {
    const hinted = made.find(({ rule: ruleId }) => ruleId === 'no-secrets')?.id ?? '';
    const { stdout } = await sub('show', hinted);
    expect(stdout).toMatch(/^rule +no-secrets$/m);
    expect(stdout).toMatch(/^hint +use \/tmp$/m);
    expect(stdout).toMatch(/^instead +arguments \{"path":"\/tmp"\}$/m);
    expect(stdout).toMatch(new RegExp(`^explain +\`sub policy explain ${hinted}\``, 'm'));
    // Below the shim's parent nothing is named that widens.
    expect(stdout).not.toContain('promote');
  });
});
