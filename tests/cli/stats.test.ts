import { join } from 'node:path';
import { canonicalize, type JsonObject } from '@subluminal/core-types';
import { openLedgerReader } from '@subluminal/ledger';
import { compilePolicy } from '@subluminal/policy';
import { statsSince } from '@subluminal/records';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readHome, type Ran, type ReadHome } from '../harness/in-process.js';
import { recordCall, recordedRun } from '../harness/recorded.js';

const HOUR = 3_600_000;
const NOW = Date.now();
const RULES = ['pushes', 'writes', 'never', 'nor-this'];
const POLICY = `policy_id: p
version: '1'
mode: control
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
${RULES.map(
  (rule_id) => `  - rule_id: ${rule_id}
    kind: ask
    enabled: ${rule_id !== 'nor-this'}
    severity: warn
    match: { command: { argv: ['${rule_id}*'] } }
    effect: { action: ASK, message: m, hint_text: h }
`,
).join('')}`;

let at: ReadHome;
const sub = (...args: string[]): Promise<Ran> => at.sub(args);

/** A call that a rule asked about, and the answer of a person; `closed` where nobody answered. */
async function question(
  ruleId: string,
  n: number,
  answer: 'closed' | 'no' | 'yes',
  ts: number,
): Promise<void> {
  const id = `question-${ruleId}-${n}`;
  const callId = `call-${ruleId}-${String(n).padStart(4, '0')}`;
  const tool = ['shell', 'run'] as const;
  await recordCall(at.ledger, {
    runId: 'run-a',
    callId,
    ts,
    tool,
    args: { command: `${ruleId} ${n}` },
    action: 'REJECT_WITH_HINT',
    ruleId,
    decision: { hint: { approval: { id, expires_at: new Date(ts + 900_000).toISOString() } } },
  });
  const about = (more: JsonObject): JsonObject => ({ id, rule_id: ruleId, ...more });
  const common = { ts, runId: 'run-a', tool };
  const data = { call: { call_id: callId }, question: about({}) };
  await at.ledger.append({ entries: [{ ...common, type: 'approval_requested', data }] });
  const said = answer === 'yes' ? { reach: 'once' } : answer === 'no' ? { said: '' } : { closed: 'expired' };
  const type = answer === 'yes' ? 'approval_granted' : 'approval_denied';
  await at.ledger.append({ entries: [{ ...common, type, data: { question: about(said) } }] });
}

beforeAll(async () => {
  at = await readHome();
  const compiled = compilePolicy(POLICY);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  const { plain, policy_hash } = compiled.snapshot;
  const old = NOW - 9 * 24 * HOUR;
  await at.ledger.append({
    entries: [
      {
        type: 'policy_loaded',
        ts: old,
        runId: null,
        data: { policy: { policy_id: 'p', policy_version: '1', policy_hash } },
        blobs: { 'policy.bundle': canonicalize(plain) },
      },
      recordedRun('run-a', old),
    ],
  });
  await question('never', 1, 'yes', old);
  const ts = NOW - 2 * HOUR;
  for (let n = 1; n <= 21; n += 1) await question('pushes', n, 'yes', n < 12 ? ts : ts + HOUR);
  await question('pushes', 22, 'closed', ts + HOUR);
  for (let n = 1; n <= 9; n += 1) await question('writes', n, 'yes', ts);
  await question('writes', 10, 'no', ts);
  const fine = { runId: 'run-a', ts, tool: ['shell', 'run'], args: {}, status: 'OK' } as const;
  await recordCall(at.ledger, { ...fine, callId: 'call-fine-0001' });
  await recordCall(at.ledger, { ...fine, callId: 'call-blocked-01', action: 'BLOCK', ruleId: 'writes' });
}, 180_000);
afterAll(() => at.remove());

it('calls are counted by decision, and questions by rule, of the last seven days', async () => {
  const { code, stdout } = await sub('stats');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^calls +34: 1 allowed, 1 refused, 32 asked$/m);
  expect(stdout).toMatch(
    /^questions +32, 16\.0 in an hour with calls; 30 of 31 answers yes \(97 %\)\n\nRULE +DECIDED +ASKED +YES +NO\npushes +22 +22 +21\nwrites +11 +10 +9 +1\n/m,
  );
});

it('a rule that is nearly always agreed to is named, with the edit that would narrow it', async () => {
  const { stdout } = await sub('stats');
  const [, number] =
    /rule pushes is too wide: 21 of 21 answers yes \(100 %\); `sub hints promote (\d+) --persist`/.exec(
      stdout,
    ) ?? [];
  expect((await sub('show', String(number))).stdout).toContain('pushes 21');
  expect(stdout).not.toContain('writes is too wide');
  const why = await sub('why', String(number));
  expect(why.stdout).toContain('the rule is too wide: 21 of 21 answers yes (100 %); `sub stats`');
  expect((await sub('why', 'call-writes-0001')).stdout).not.toContain('too wide');
  expect(JSON.parse((await sub('why', String(number), '--json')).stdout)).toMatchObject({ too_wide: true });
});

it('rules that decided nothing in that time are named, but for those that are off', async () => {
  expect((await sub('stats')).stdout).toMatch(/^1 rule decided nothing: never$/m);
  const since = new Date(NOW - 10 * 24 * HOUR).toISOString();
  expect((await sub('stats', '--since', since)).stdout).not.toContain('decided nothing');
});

it('the counts are there for programs, and nothing is divided by none', async () => {
  const stats = JSON.parse((await sub('stats', '--json')).stdout);
  expect(stats).toMatchObject({
    calls: { ALLOW: 1, ASKED: 32, BLOCK: 1 },
    questions: 32,
    yes: 30,
    no: 1,
    silent: ['never'],
  });
  expect(stats.rules).toEqual([
    expect.objectContaining({
      rule_id: 'pushes',
      decided: 22,
      questions: 22,
      yes: 21,
      no: 0,
      too_wide: true,
    }),
    expect.objectContaining({
      rule_id: 'writes',
      decided: 11,
      questions: 10,
      yes: 9,
      no: 1,
      too_wide: false,
    }),
  ]);
  const none = await sub('stats', '--since', '1s');
  expect(none.stdout).toMatch(/^calls +none\nquestions +none$/m);
  for (const line of (await at.sub(['stats'], 80)).stdout.split('\n'))
    expect(line.length).toBeLessThanOrEqual(80);
});

it('where there are more decisions than are counted, that is said', () => {
  const reader = openLedgerReader(join(at.home, 'ledger.db'));
  try {
    expect(statsSince(reader, NOW - 3 * HOUR, 10)).toMatchObject({ isCut: true });
    expect(statsSince(reader, NOW - 3 * HOUR)).toMatchObject({ isCut: false, questions: 32 });
  } finally {
    reader.close();
  }
});
