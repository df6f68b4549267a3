import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { encodeFrame } from '@subluminal/core-types';
import { processIdentity, readCredential } from '@subluminal/ipc';
import { expect, it, onTestFinished } from 'vitest';
import { runBegin, start } from '../gateway/harness.js';
import { runSub } from '../harness/sub.js';

it('a run cannot hide behind a thousand newer ones', async () => {
  const world = await start();
  const operator = await world.operator();
  // This process holds the first run, and so every `sub` below is inside of it.
  await operator.request('run.begin', runBegin());
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  onTestFinished(() => void other.kill('SIGKILL'));
  const holder = processIdentity(other.pid ?? 0);
  for (let count = 0; count < 1000; count += 50) {
    const begin = (): ReturnType<typeof operator.request> =>
      operator.request('run.begin', runBegin({ holder }));
    const answers = await Promise.all(Array.from({ length: 50 }, begin));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['success']));
  }
  const refused = await runSub(['policy', 'init', 'developer-laptop', '--home', world.paths.home]);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('error[inside_run]')]);
  expect(existsSync(world.paths.policy)).toBe(false);
});

const unsaid = (code: string): RegExp =>
  new RegExp(`^error\\[${code}\\]: the gateway does not say which runs live: .*\nhelp: `);

it('a gateway that does not hold the key of the home may know of a run: nothing is widened', async () => {
  const world = await start();
  const { operatorKey, policy, home } = world.paths;
  const credential = readCredential(operatorKey);
  writeFileSync(operatorKey, JSON.stringify({ ...credential, key: 'A'.repeat(credential.key.length) }));
  expect(await runSub(['policy', 'init', 'developer-laptop', '--home', home])).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(unsaid('gateway_unreachable')),
  });
  expect(existsSync(policy)).toBe(false);
});

it('a gateway that refuses the handshake may know of a run: nothing is widened', async () => {
  const world = await start();
  const { socket, policy, home } = world.paths;
  await world.gateway.stop('test');
  const refusal = encodeFrame('{"error":{"code":"handshake_refused","message":"no"}}');
  const server = createServer((peer) => {
    peer.on('error', () => peer.destroy());
    peer.end(refusal);
  }).listen(socket);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  expect(await runSub(['policy', 'init', 'developer-laptop', '--home', home])).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(unsaid('handshake_refused')),
  });
  expect(existsSync(policy)).toBe(false);
});
