import { sha256Hex } from '@subluminal/core-types';
import type { GatewayClient } from '@subluminal/ipc';
import { processIdentity } from '@subluminal/ipc';
import { expect, it } from 'vitest';
import { start, toolCall } from './harness.js';
import { bundle, deny } from './policy-bundle.js';

const KEYS = deny('keys', { path: { under: ['/srv/keys'] } });
const STRAY = deny('stray', { command: { argv: ['rm *'] } });
const TOKEN = 'a-token-of-a-server-in-a-test';

const codeOf = async (client: GatewayClient, args: object, more: object = {}) =>
  (await client.request('tool.call.begin', toolCall({ args, ...more }))).error?.code ?? 'ALLOW';

it('a relative path is read from the folder of its server too, and after a restart', async () => {
  const world = await start({ policy: bundle([KEYS]) });
  const run = await world.run();
  const begin = {
    shim_id: 'shim-1',
    proc_id: 'proc-1',
    server_name: 'fs',
    argv_hash: sha256Hex('argv'),
    token: TOKEN,
    shim: processIdentity(process.pid),
    cwd: '/srv/keys',
  };
  expect(await codeOf(run.client, { path: 'id' })).toBe('ALLOW');
  expect((await run.client.request('upstream.begin', begin)).status).toBe('success');
  expect(world.rows('upstream_begin')[0]?.data).toMatchObject({ cwd: '/srv/keys' });
  expect(await codeOf(run.client, { path: 'id' })).toBe('policy_blocked');
  expect(await codeOf(run.client, { path: 'id' }, { shim_id: 'shim-2' })).toBe('ALLOW');
  expect(await codeOf(run.client, { path: '../id' })).toBe('ALLOW');
  await world.restart();
  expect(await codeOf(await world.connect(run.credential), { path: 'id' })).toBe('policy_blocked');
});

it('the keys that a policy names are read, kept with the decision, and explained', async () => {
  const tools = [
    { server_name: { glob: ['fs'] }, paths: ['spot'] },
    { server_name: { glob: ['fs'] }, commands: ['job.body'] },
  ];
  const world = await start({ policy: bundle([KEYS, STRAY], { tools }) });
  const run = await world.run();
  expect(await codeOf(run.client, { spot: '/srv/keys/id' })).toBe('policy_blocked');
  expect(await codeOf(run.client, { job: { body: 'cd x; rm -r y' } })).toBe('policy_blocked');
  expect(await codeOf(run.client, { spot: '/srv/keys/id' }, { server_name: 'other' })).toBe('ALLOW');
  expect(world.rows('tool_call_decision')[0]?.data).toMatchObject({
    facts: { readings: { keys: { commands: ['job.body'], paths: ['spot'] } } },
  });
  const explained = await (
    await world.operator()
  ).request('policy.explain', { server_name: 'fs', tool_name: 'x', args: { spot: '/srv/keys/id' } });
  expect(explained.data).toMatchObject({ decision: { rule_id: 'keys' } });
});
