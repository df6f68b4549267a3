import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { openRawSession } from '../harness/raw-session.js';
import { runSub, shimCommand } from '../harness/sub.js';

const echo = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));

let home: TestHome;
beforeAll(async () => {
  home = createHome();
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
});
afterAll(() => home.remove());

test('servers that a client starts through shells are part of its one run', async () => {
  const shim = (server: string) => shimCommand(home.home, server, [process.execPath, echo]);
  const through = (server: string) => ['sh', '-c', `${shim(server).join(' ')}; true`];
  const sessions = await Promise.all([
    openRawSession(shim('direct')),
    openRawSession(through('one-shell')),
    openRawSession([
      'bash',
      '-c',
      `${through('two-shells').slice(0, 2).join(' ')} '${through('two-shells')[2]}'; true`,
    ]),
  ]);
  for (const session of sessions) {
    const answer = await session.request('tools/call', { name: 'echo', arguments: {} });
    expect(answer.error).toBeUndefined();
  }
  const runs = await runSub(['runs', '--home', home.home, '--json']);
  expect(runs.code).toBe(0);
  expect(runs.stdout.trim().split('\n')).toHaveLength(1);
  for (const session of sessions) await session.close();
});
