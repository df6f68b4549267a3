import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { eventually } from '../harness/processes.js';
import { runSub, shimCommand, SUB } from '../harness/sub.js';

const GATEWAY = fileURLToPath(new URL('../../packages/daemon/dist/bundle/gateway.js', import.meta.url));
const ECHO = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));
const node = process.execPath;

let home: TestHome;
let gateway: ChildProcess;
let said: () => string;
beforeAll(async () => {
  home = createHome();
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
  expect(await runSub(['down', '--home', home.home])).toMatchObject({ code: 0 });
  ({ child: gateway, said } = started([GATEWAY, '--home', home.home]));
  let isUp = false;
  while (!isUp) isUp = (await runSub(['status', '--home', home.home])).code === 0;
});
afterAll(async () => {
  gateway.kill('SIGKILL');
  await home.remove();
});

function started(args: readonly string[]): { child: ChildProcess; said: () => string } {
  const child = spawn(node, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += String(data)));
  return { child, said: () => text };
}

async function signalled(child: ChildProcess): Promise<void> {
  child.kill('SIGUSR1');
  await setTimeout(500);
}

describe.skipIf(process.platform === 'win32')('the signal that opens the debugger of node', () => {
  it('opens none in the gateway, which goes on', async () => {
    await signalled(gateway);
    expect(said()).not.toMatch(/debugger|inspector/i);
    expect(await runSub(['status', '--home', home.home])).toMatchObject({ code: 0 });
  });

  it('opens none in sub run, whose command gets it', async () => {
    const command = `process.on('SIGUSR1', () => { console.log('got it'); process.exit(7) }); console.log('there'); setInterval(() => 0, 1000)`;
    const run = started([SUB, 'run', '--home', home.home, '--', node, '-e', command]);
    const ended = new Promise((resolve) => run.child.once('exit', resolve));
    await eventually('the command is there', () => run.said().includes('there'));
    await signalled(run.child);
    expect(await ended).toBe(7);
    expect(run.said()).toContain('got it');
    expect(run.said()).not.toMatch(/debugger|inspector/i);
  });

  it('opens none in a shim, which goes on', async () => {
    const [, ...args] = shimCommand(home.home, 'echo', [node, ECHO]);
    const shim = started(args);
    const ask = (id: number): boolean | undefined =>
      shim.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`);
    ask(1);
    await eventually('the shim answers', () => shim.said().includes('"id":1'));
    await signalled(shim.child);
    ask(2);
    await eventually('the shim answers again', () => shim.said().includes('"id":2'));
    expect(shim.said()).not.toMatch(/debugger|inspector/i);
    shim.child.kill('SIGKILL');
  });
});
