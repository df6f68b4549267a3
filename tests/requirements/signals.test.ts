import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { eventually, processesWith } from '../harness/processes.js';
import { runSub, shimCommand } from '../harness/sub.js';
import { call, INITIALIZE } from './scripted-run.js';

/** SIGKILL follows SIGTERM after 5 s; the rest is the machine's. */
const GRACE_MS = 10_000;

const echo = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));
const scripted = fileURLToPath(new URL('fixtures/scripted-client.mjs', import.meta.url));

let home: TestHome;
beforeAll(async () => {
  home = createHome();
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
});
afterAll(() => home.remove());

/** Starts a client whose last call is never answered, and waits until the server has it. */
async function waitingClient(mark: string, env: Record<string, string>) {
  const script = join(home.root, `${mark}.json`);
  const reached = join(home.root, `${mark}.log`);
  writeFileSync(reached, '');
  const lines = [...INITIALIZE, call(1, 'echo', '{}'), { id: 2, text: '{"jsonrpc":"2.0","method":"ping"}' }];
  const argv = shimCommand(home.home, 'echo', [process.execPath, echo, mark], ['ECHO_LOG', 'ECHO_STUBBORN']);
  writeFileSync(script, JSON.stringify({ argv, env: { ECHO_LOG: reached, ...env }, lines }));
  const client = spawn(process.execPath, [scripted, script], { stdio: 'ignore' });
  const gone = once(client, 'exit');
  const ours = () => processesWith(mark).filter(({ pid }) => pid !== client.pid);
  await eventually('shim and server run', () => ours().length >= 2);
  await eventually('a call reached the server', () => readFileSync(reached, 'utf8') !== '');
  return { client, gone, ours };
}

const KILLS = [
  ['a client that is killed', 'client', 'SIGKILL', {}],
  ['a client that is told to end', 'client', 'SIGTERM', {}],
  [
    'a client that is killed, with a server that ignores all but SIGKILL',
    'client',
    'SIGKILL',
    { ECHO_STUBBORN: '1' },
  ],
  ['a shim that is told to end', 'shim', 'SIGTERM', {}],
  ['a shim that is interrupted', 'shim', 'SIGINT', {}],
  ['a shim that is killed', 'shim', 'SIGKILL', {}],
  [
    'a shim that is killed, with a server that ignores all but SIGKILL',
    'shim',
    'SIGKILL',
    { ECHO_STUBBORN: '1' },
  ],
] as const;

// They wait most of the time.
describe.concurrent('nothing is left behind within the grace window', () => {
  it.each(KILLS)(
    'by %s',
    async (name, victim, signal, env) => {
      // No mark is the beginning of another one.
      const mark = `mark-${name.replaceAll(/[^a-z]/g, '-')}-end`;
      const { client, gone, ours } = await waitingClient(mark, env);
      const shims = ours().filter(({ command }) => command.includes('shim stdio'));
      const [target] = victim === 'client' ? [client.pid] : shims.map(({ pid }) => pid);
      if (target === undefined) throw new Error('there is nothing to signal');
      process.kill(target, signal);
      const empty = () => ours().length === 0;
      await expect(eventually(`shim and server of ${mark} end`, empty, GRACE_MS)).resolves.toBeUndefined();
      client.kill('SIGKILL');
      await gone;
    },
    40_000,
  );
});
