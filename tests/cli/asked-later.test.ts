import type { JsonObject } from '@subluminal/core-types';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readHome, type Ran, type ReadHome } from '../harness/in-process.js';
import { recordCall, recordedRun } from '../harness/recorded.js';

const NOW = Date.now();
const TOOL = ['shell', 'run_command'] as const;
let at: ReadHome;
const sub = (...args: string[]): Promise<Ran> => at.sub(args);

async function asked(runId: string, id: string, end: JsonObject | undefined): Promise<void> {
  const callId = `call-${id}-0000`;
  await recordCall(at.ledger, {
    runId,
    callId,
    ts: NOW,
    tool: TOOL,
    args: { command: `git push ${id}` },
    action: 'REJECT_WITH_HINT',
    ruleId: 'pushes',
    decision: { hint: { approval: { id, expires_at: new Date(NOW + 900_000).toISOString() } } },
  });
  const question = { id, rule_id: 'pushes' };
  const entry = { ts: NOW, runId, tool: TOOL };
  const data = { call: { call_id: callId }, question };
  await at.ledger.append({ entries: [{ ...entry, type: 'approval_requested', data }] });
  if (end === undefined) return;
  const type = end['reach'] === undefined ? 'approval_denied' : 'approval_granted';
  const whose = end['closed'] === 'run_ended' ? null : runId;
  await at.ledger.append({
    entries: [{ ...entry, runId: whose, type, data: { question: { ...question, ...end } } }],
  });
}

beforeAll(async () => {
  at = await readHome();
  await at.ledger.append({ entries: [recordedRun('run-one', NOW), recordedRun('run-two', NOW)] });
  await asked('run-one', 'question-open', undefined);
  await asked('run-one', 'question-once', { reach: 'once' });
  await asked('run-one', 'question-run', { reach: 'run' });
  await asked('run-one', 'question-no', { said: 'use the\u001b[31m staging branch' });
  await asked('run-one', 'question-late', { closed: 'expired' });
  await asked('run-one', 'question-over', { closed: 'run_ended' });
  for (const runId of ['run-one', 'run-two'])
    await recordCall(at.ledger, {
      runId,
      callId: 'call-same-000000',
      ts: NOW,
      tool: TOOL,
      args: { command: 'rm -rf build' },
      action: 'REJECT_WITH_HINT',
      ruleId: 'deletes',
      decision: { hint: { hint_text: 'do without' } },
    });
  const action = { ts: NOW, runId: null, tool: 'http.listen', data: { action: 'http.listen' } };
  const { seq } = await at.ledger
    .append({ entries: [{ ...action, type: 'action_pending', code: 'pending' }] })
    .then((result) => ({ seq: result.ok ? (result.entries[0]?.seq ?? 0) : 0 }));
  await at.ledger.append({ entries: [{ ...action, type: 'action_result', code: 'success', ref: seq }] });
}, 180_000);
afterAll(() => at.remove());

it.each([
  ['question-once', 'a person said yes, once', { answer: 'yes', how: 'once' }],
  ['question-run', 'a person said yes, for the run', { answer: 'yes', how: 'run' }],
  ['question-no', 'a person said no: use the\\x1b[31m staging branch', { answer: 'no' }],
  ['question-late', 'a person was asked: nobody answered in time', { answer: 'closed', how: 'expired' }],
  ['question-over', 'a person was asked: nobody answered before the run ended', { how: 'run_ended' }],
])('`show` and `why` say how %s ended, and name no question that is over', async (id, words, json) => {
  for (const verb of ['show', 'why']) {
    const { stdout } = await sub(verb, `call-${id}-0000`);
    expect(stdout).toContain(words);
    expect(stdout).not.toContain('sub approvals show');
    expect(stdout).toContain('--persist');
    const told = JSON.parse((await sub(verb, `call-${id}-0000`, '--json')).stdout);
    expect(told.answer).toMatchObject(json);
  }
});

it('a question that is open is named by the number of its call, to be answered', async () => {
  for (const verb of ['show', 'why']) {
    expect((await sub(verb, 'call-question-open-0000')).stdout).toMatch(/`sub approvals show [0-9]+`/);
    expect(JSON.parse((await sub(verb, 'call-question-open-0000', '--json')).stdout).answer).toBeNull();
  }
});

it('a hint is not promoted by an id that calls of several runs have', async () => {
  const { code, stderr } = await sub('hints', 'promote', 'call-same-000000', '--yes');
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /`call-same-000000` is the id of several calls\nhelp: name one by its number: `\d+` \(run `run-two`\), `\d+` \(run `run-one`\)/,
  );
  expect((await sub('hints', 'promote', 'call-same-000000', '--persist', '--yes')).code).toBe(2);
  const [, number] = /`(\d+)` \(run `run-one`\)/.exec(stderr) ?? [];
  const named = await sub('hints', 'promote', String(number), '--yes');
  expect(named.stderr).not.toContain('several calls');
});

it('what `sub` asks the gateway for itself is in no listing for people, unless it is asked for', async () => {
  expect((await sub('query')).stdout).not.toContain('http.listen');
  expect((await sub('tail', '--no-follow')).stdout).not.toContain('http.listen');
  expect((await sub('query', '--action', 'http.listen')).stdout).toContain('http.listen');
  expect((await sub('query', '--json')).stdout).toContain('http.listen');
});
