import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Lister, tool } from '../tools/lister.js';
import { budget, bundle } from './policy-bundle.js';
import { after, dataOf, start, toolCall } from './harness.js';

/** A program that keeps what it is told; the lines so far. */
function program(): { path: string; said: () => unknown[] } {
  const folder = mkdtempSync(join(tmpdir(), 'sub-tell-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'tell');
  const said = join(folder, 'said');
  writeFileSync(path, `#!/bin/sh\nexec cat >> ${said}\n`);
  chmodSync(path, 0o700);
  return {
    path,
    said: () =>
      existsSync(said)
        ? readFileSync(said, 'utf8')
            .split('\n')
            .slice(0, -1)
            .map((line): unknown => JSON.parse(line))
        : [],
  };
}

it('tells the operator once of what waits for an approval, and nobody who asks waits for that', async () => {
  const { path, said } = program();
  const world = await start({
    config: `[anomaly]\nnew_domain = "approve"\n[approvals]\nnotify = [${JSON.stringify(path)}]\n`,
  });
  const operator = await world.operator();
  dataOf(await operator.request('allow.add', { host: '127.0.0.1', allow_private: true }));
  const run = await world.run();
  const action = { service: 'label', endpoint: 'http://127.0.0.1:9/secret-path', method: 'GET' };
  const asked = await run.client.request('service.api_call', action);
  const id = asked.error?.details?.['approval_id'];
  expect(asked.status).toBe('requires_approval');
  // The same question again is the same request, of which the operator knows.
  expect((await run.client.request('service.api_call', action)).error?.details?.['approval_id']).toBe(id);
  await expect.poll(said).toMatchObject([
    {
      v: 1,
      event: 'approval_requested',
      missed: 0,
      approval_id: id,
      action: 'service.api_call',
      run_id: run.id,
      destination: 'http://127.0.0.1:9',
    },
  ]);
});

it('tells the operator once of a tool that is held', async () => {
  const { path, said } = program();
  const world = await start({ config: `[approvals]\nnotify = [${JSON.stringify(path)}]\n` });
  const run = await world.run();
  const fs = new Lister(run.client, 'fs', {});
  await fs.seen([tool('read_file')]);
  await fs.seen([tool('read_file'), tool('rm_\u202eall')]);
  await fs.seen([tool('read_file'), tool('rm_\u202eall')]);
  await expect
    .poll(said)
    .toMatchObject([
      { event: 'tool_held', server_name: 'fs', tool_name: 'rm_\ufffdall', reason: 'new', run_id: run.id },
    ]);
});

describe('a question about a call', () => {
  const PUSH = {
    rule_id: 'pushes',
    kind: 'ask',
    enabled: true,
    severity: 'warn',
    match: { tool_name: { glob: ['push'] } },
    effect: { action: 'ASK', message: 'pushes are asked about' },
  };
  const POLICY = bundle([PUSH], { mode: 'control' });
  const push = (branch: string) => toolCall({ tool_name: 'push', args: { branch } });

  /** A desktop whose `notify-send` does that, and the lines that it was told. */
  function desktop(does: string) {
    const folder = mkdtempSync(join(tmpdir(), 'sub-desktop-'));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const said = join(folder, 'said');
    writeFileSync(join(folder, 'bus'), '');
    writeFileSync(join(folder, 'notify-send'), `#!/bin/sh\necho "$@" >> ${said}\n${does}\n`);
    chmodSync(join(folder, 'notify-send'), 0o700);
    return {
      places: { platform: 'linux', folders: [folder], bus: join(folder, 'bus') },
      said: () => (existsSync(said) ? readFileSync(said, 'utf8').split('\n').slice(0, -1) : []),
    };
  }

  it.each([
    ['shows it', 'exit 0'],
    ['fails', 'exit 1'],
    ['hangs', 'exec sleep 30'],
  ])('is shown once on a desktop, and its call is answered alike where that %s', async (_how, does) => {
    const { places, said } = desktop(does);
    const world = await start({ policy: POLICY, desktop: places });
    const run = await world.run();
    for (const branch of ['main', 'main', 'other'])
      expect(dataOf(await run.client.request('tool.call.begin', push(branch)))['decision']).toMatchObject({
        reason_code: 'APPROVAL_REQUIRED',
      });
    await expect
      .poll(said)
      .toEqual(['--app-name=sub -- An agent asks: fs.push pushes are asked about: {"branch":"main"}']);
  });

  it.each([
    ['with `notify = false`', '[approvals]\nnotify = false\n'],
    ['where nobody is asked', '[approvals]\nask = false\n'],
  ])('is not shown %s', async (_how, config) => {
    const { places, said } = desktop('exit 0');
    const world = await start({ policy: POLICY, desktop: places, config });
    const run = await world.run();
    await run.client.request('tool.call.begin', push('main'));
    await world.gateway.stop('test');
    expect(said()).toEqual([]);
  });

  it('is a refusal where the operator wants none, and the status says so', async () => {
    const world = await start({ policy: POLICY, config: '[approvals]\nask = false\n' });
    const run = await world.run();
    expect(dataOf(await run.client.request('tool.call.begin', push('main')))['decision']).toMatchObject({
      action: 'BLOCK',
      reason_code: 'APPROVAL_REQUIRED',
      summary: 'pushes are asked about; nobody can be asked here',
    });
    const operator = await world.operator();
    expect(world.rows('approval_requested')).toEqual([]);
    expect(dataOf(await operator.request('gateway.status', {}))['questions']).toEqual({
      waiting: 0,
      asked: false,
    });
  });
});

it('tells the operator of a run that a rule ended', async () => {
  const { path, said } = program();
  const world = await start({
    config: `[approvals]\nnotify = [${JSON.stringify(path)}]\n`,
    policy: bundle([budget('one', '*', 1, { on_exceed: 'TERMINATE_RUN' })]),
  });
  const run = await world.run();
  await run.client.request('tool.call.begin', toolCall());
  await run.client.request('tool.call.begin', toolCall());
  await expect.poll(said).toMatchObject([{ event: 'run_terminated', run_id: run.id }]);
});
