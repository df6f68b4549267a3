import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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
