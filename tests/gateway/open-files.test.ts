import { spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { isJsonObject, RunOpened, type JsonValue } from '@subluminal/core-types';
import { connectGateway, gatewayListens } from '@subluminal/ipc';
import { expect, it } from 'vitest';
import { eventually, watchEnd } from '../harness/processes.js';
import { GATEWAY, GatewayHome } from '../support/gateway-home.js';
import { after, runBegin, toolCall } from './harness.js';

/** So many connections that say nothing, each as far as the other side takes it. */
function hold(port: number, count: number): Promise<readonly Socket[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ host: '127.0.0.1', port });
      socket.on('error', () => socket.destroy());
      await new Promise<void>((resolve) => {
        socket.once('connect', () => resolve()).once('close', () => resolve());
      });
      return socket;
    }),
  );
}

function portOf(door: JsonValue | undefined): number {
  if (door === undefined || door === null || !isJsonObject(door)) throw new Error('there is no such door');
  return Number(door['port']);
}

it.skipIf(process.platform !== 'linux').each([256, 1024])(
  'with %d open files connections without a token keep neither the operator nor a run out',
  async (limit) => {
    const home = new GatewayHome();
    const words = ['-c', `ulimit -n ${limit}; exec "$0" "$@"`, process.execPath, GATEWAY];
    const child = spawn('/bin/sh', [...words, '--home', home.paths.home], { cwd: '/', stdio: 'ignore' });
    const hasEnded = watchEnd(child.pid ?? 0);
    after(async () => {
      child.kill('SIGTERM');
      await eventually('the gateway ends', hasEnded);
      await home.remove();
    });
    await eventually('the gateway listens', () => gatewayListens(home.paths.socket));
    const status = await home.ask('gateway.status');
    if (status === null || !isJsonObject(status)) throw new Error('the status is no object');
    const ports = [portOf(await home.ask('http.listen')), portOf(status['proxy'])];
    const held: Socket[] = [];
    after(() => {
      for (const socket of held) socket.destroy();
    });
    for (let round = 0; round < 2; round += 1) {
      for (const port of ports) held.push(...(await hold(port, limit)));
      const { credential } = RunOpened.parse(await home.ask('run.begin', runBegin()));
      const { socket: socketPath } = home.paths;
      const client = await connectGateway({ socketPath, credential, clock: Date.now });
      after(() => client.close());
      expect((await client.request('tool.call.begin', toolCall())).status).toBe('success');
    }
  },
);
