import { readFileSync, writeFileSync } from 'node:fs';
import type { Decision } from '@subluminal/core-types';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { budget, bundle } from '../gateway/policy-bundle.js';
import { askingRun, type AskingRun } from '../harness/asking.js';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';

const POLICY = bundle(
  [
    {
      rule_id: 'pushes',
      kind: 'ask',
      enabled: true,
      severity: 'warn',
      match: { command: { argv: ['git push*'] } },
      effect: { action: 'ASK', message: 'pushes are asked about', hint_text: 'leave the push to people' },
    },
    budget('deploys', { command: { argv: ['deploy*'] } }, 1, { on_exceed: 'ASK' }),
  ],
  { mode: 'control' },
);

let at: TestHome;
let run: AskingRun;
let runId: string;
const sub = (...args: string[]) =>
  runSub([...args], { env: { PATH: process.env['PATH'], SUB_HOME: at.home } });
const decided = (command: string): Promise<Decision> => run.decided(command);
const asked = (command: string): Promise<string> => run.asked(command);

beforeAll(async () => {
  at = createHome({ policy: POLICY });
  await at.startWatched();
  run = await askingRun(at.home);
  runId = run.id;
}, 180_000);
afterAll(async () => {
  await run.end();
  await at.remove();
});

it('a question is listed with what, why and whose run, and shown with every way to answer it', async () => {
  expect((await sub('approvals', 'list')).stdout).toBe('nothing waits for an answer\n');
  const { summary, hint } = await decided('git push origin main');
  expect(summary).toBe('pushes are asked about');
  expect(hint?.hint_text).toMatch(
    /^a person was asked and has until .* UTC to answer, else it is a no; make the same call again once a person has answered; or do without it: leave the push to people$/,
  );
  const id = hint?.approval?.id ?? '';
  const listed = await sub('approvals', 'list');
  expect(listed.stdout).toContain(
    `waits  ${runId.slice(-6)}  shell.run git push origin main  pushes are asked about`,
  );
  const shown = await sub('approvals', 'show', id);
  expect(shown.stdout).toContain('what   git push origin main\n');
  expect(JSON.parse((await sub('approvals', 'show', id, '--json')).stdout)).toMatchObject({
    kind: 'question',
    id,
    server_name: 'shell',
    tool_name: 'run',
    whole: true,
  });
  const [{ call_id: called, number }] = JSON.parse(`[${(await sub('approvals', 'list', '--json')).stdout}]`);
  for (const verb of ['why', 'show'])
    expect((await sub(verb, String(called))).stdout).toContain(`sub approvals show ${String(number)}`);
  expect((await sub('tail', '--no-follow')).stdout).toContain(`  ${String(number)}  `);
  expect(shown.stdout).toContain(`\nsub approvals approve ${String(number)}   `);
  expect(listed.stdout).toMatch(new RegExp(`^${String(number)} +question +now +waits `, 'm'));
  for (const way of ['--for run', '--for always', '--say']) expect(shown.stdout).toContain(way);
  expect(JSON.parse((await sub('approvals', 'list', '--json')).stdout)).toMatchObject({
    kind: 'question',
    id,
    state: 'pending',
    object: 'git push origin main',
  });
});

it('a yes lets the call through once, one for the run until it ends, and is then not asked for again', async () => {
  const id = await asked('git push once');
  expect((await sub('approvals', 'approve', id)).stdout).toBe(
    `\`${id}\` approved: the same call goes through, once, within 15 minutes\n`,
  );
  expect((await decided('git push once')).action).toBe('ALLOW');
  const used = await sub('approvals', 'deny', id);
  expect(used.stderr).toContain(`the question \`${id}\` is over: a person said yes, once, `);
  const again = await asked('git push once');
  expect(again).not.toBe(id);
  expect(await sub('approvals', 'approve', again, '--for', 'run')).toMatchObject({ code: 0 });
  const { stdout } = await sub('approvals', 'show', again);
  expect(stdout).toMatch(/^state +yes, run$/m);
  expect(stdout).not.toContain('sub approvals');
  const changed = await sub('approvals', 'deny', again);
  expect(changed).toMatchObject({ code: 1, stderr: expect.stringContaining('answered already: yes, run') });
  expect((await decided('git push once')).action).toBe('ALLOW');
  expect((await decided('git push once')).action).toBe('ALLOW');
});

it('a question that does not show all of its call says so, and a no tells the agent why', async () => {
  const command = `git push ${'x'.repeat(2000)}`;
  const id = await asked(command);
  expect((await sub('approvals', 'show', id)).stdout).toMatch(/^shown +not all of the call$/m);
  expect(await sub('approvals', 'deny', id, '--say', 'push to your own branch')).toMatchObject({ code: 0 });
  expect(await decided(command)).toMatchObject({
    action: 'BLOCK',
    summary: 'a person said no: push to your own branch',
  });
  const second = await sub('approvals', 'approve', id);
  expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('approval_used') });
  expect(second.stderr).toContain('was answered already: no\nhelp: it holds until the run ends');
});

it('a yes for always writes a rule above the one that asked, and shows it before', async () => {
  const id = await asked('git push origin docs');
  const before = readFileSync(`${at.home}/policy.yaml`, 'utf8');
  const approved = await sub('approvals', 'approve', id, '--for', 'always', '--as', 'command', '--yes');
  expect(approved).toMatchObject({ code: 0 });
  expect(approved.stdout).toMatch(/^\+.*git push origin docs/m);
  const after = readFileSync(`${at.home}/policy.yaml`, 'utf8');
  expect(after).not.toBe(before);
  await expect
    .poll(async () => (await decided('git push origin docs')).action, { timeout: 10_000 })
    .toBe('ALLOW');
  expect((await decided('git push origin other')).reason_code).toBe('APPROVAL_REQUIRED');
});

it('a yes for always is one JSON value, with the answer', async () => {
  const id = await asked('git push origin notes');
  const args = ['--for', 'always', '--as', 'command', '--yes', '--json'];
  const { code, stdout } = await sub('approvals', 'approve', id, ...args);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ written: true, as: 'command', question: id, for: 'run' });
});

it('what is no question is told so, and an answer inside a run is refused', async () => {
  expect(await sub('approvals', 'show', 'nothing-of-that-name')).toMatchObject({ code: 1 });
  const id = await asked('git push inside');
  expect(await sub('approvals', 'approve', id, '--as', 'path')).toMatchObject({ code: 2 });
  expect((await decided('git push inside')).reason_code).toBe('APPROVAL_REQUIRED');
});

it('`sub runs` counts calls that were asked about, and none of them as blocked', async () => {
  const [counts] = JSON.parse(`[${(await sub('runs', '--json')).stdout}]`);
  const { calls_asked: all, calls_blocked: blocked } = counts as Record<string, number>;
  expect(all).toBeGreaterThan(5);
  const [head = '', row = ''] = (await sub('runs')).stdout.split('\n');
  expect(head).toMatch(/ CALLS {2}REFUSED {2}ASKED /);
  expect(row).toMatch(new RegExp(` ${(blocked ?? 0) - (all ?? 0)} +${all} {2}git push inside`));
});

it('a yes for always to a budget writes its limit once more, and shows it before', async () => {
  const other = await askingRun(at.home);
  expect((await other.decided('deploy 1')).action).toBe('ALLOW');
  const beside = await other.asked('deploy beside');
  expect((await sub('approvals', 'show', beside)).stdout).toMatch(
    /--for run +the budget once more, for all calls of the run that it counts\n/,
  );
  expect((await sub('approvals', 'approve', beside, '--for', 'run')).stdout).toContain(
    'approved: the budget holds once more until the run ends, for every call that it counts',
  );
  expect((await other.decided('deploy 1')).action).toBe('ALLOW');
  const id = await other.asked('deploy 2');
  const flags = ['--for', 'always', '--yes'];
  expect(await sub('approvals', 'approve', id, ...flags, '--as', 'command')).toMatchObject({ code: 2 });
  const approved = await sub('approvals', 'approve', id, ...flags);
  expect(approved.stderr).toBe('');
  expect(approved.stdout).toContain('budget `deploys`: `limit_calls` 1 → 2');
  expect(readFileSync(`${at.home}/policy.yaml`, 'utf8')).toContain('"limit_calls":2');
  await expect.poll(async () => (await other.decided('deploy 2')).action, { timeout: 10_000 }).toBe('ALLOW');
  await other.end();
});

it('where the operator wants no questions, `status` says that rules that ask refuse', async () => {
  writeFileSync(`${at.home}/config.toml`, '[approvals]\nask = false\n', { mode: 0o600 });
  const status = async (): Promise<string> => (await sub('status')).stdout;
  await expect
    .poll(status, { timeout: 10_000 })
    .toMatch(/^questions +off: rules that ask refuse, and nobody is asked$/m);
  const other = await askingRun(at.home);
  expect(await other.decided('git push --quiet')).toMatchObject({
    action: 'BLOCK',
    reason_code: 'APPROVAL_REQUIRED',
  });
  await other.end();
});
