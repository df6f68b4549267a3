import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { encodeFrame, type Speaks } from '@subluminal/core-types';
import { connectGateway, processIdentity, readCredential, type GatewayClient } from '@subluminal/ipc';
import { openLedgerReader } from '@subluminal/ledger';
import { describe, expect, it } from 'vitest';
import { createHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { SUB } from '../harness/sub.js';
import { openRawSession } from '../harness/raw-session.js';
import { eventually } from '../harness/processes.js';
import { SCRIPTED } from '../shim/start.js';
import { after, runBegin, start, type TestGateway } from './harness.js';
import { signedPeer } from './raw-peer.js';
import { programOf } from '../support/programs.js';

const OTHER = programOf('other-gateway');
const NEWER: Speaks = { protocol: 4, version: '9.1.0' };

async function clientOf(world: TestGateway, speaks: Speaks): Promise<GatewayClient> {
  const client = await connectGateway({
    socketPath: world.paths.socket,
    gatewayFile: world.paths.gatewayFile,
    credential: readCredential(world.paths.operatorKey),
    clock: Date.now,
    speaks,
  });
  after(() => client.close());
  return client;
}

describe('a gateway that serves', () => {
  it('says in run/gateway.json which process it is and what it speaks, and no longer when it has stopped', async () => {
    const world = await start();
    const { gatewayFile } = world.paths;
    expect(JSON.parse(readFileSync(gatewayFile, 'utf8'))).toEqual({
      pid: process.pid,
      start: processIdentity(process.pid)?.start,
      version: '0.1.0',
      protocol: 3,
    });
    expect(statSync(gatewayFile).mode & 0o777).toBe(0o600);
    await world.gateway.stop('test');
    expect(existsSync(gatewayFile)).toBe(false);
  });
});

describe('a client and a gateway of two protocols', () => {
  it('do not talk when the client is newer, and the client is told both versions and what to do', async () => {
    const world = await start();
    const client = await clientOf(world, NEWER);
    expect((await client.request('gateway.status', {})).error).toMatchObject({
      code: 'version_mismatch',
      message:
        'this client is version 9.1.0 and speaks protocol 4, the gateway is version 0.1.0 and speaks protocol 3',
      help: 'run `sub up --restart`: the gateway is older than this `sub`',
    });
    // Nothing that follows on the connection is taken either.
    const answer = await client.request('run.begin', runBegin());
    expect(answer.error?.code).toBe('version_mismatch');
    expect(world.rows('run_start')).toEqual([]);
    expect(world.rows('action_rejected').map((row) => row.data['error'])).toEqual([
      expect.objectContaining({ code: 'version_mismatch' }),
      expect.objectContaining({ code: 'version_mismatch' }),
    ]);
  });

  it('do not talk when the gateway is newer', async () => {
    const world = await start({ speaks: NEWER });
    const client = await world.operator();
    expect((await client.request('run.begin', runBegin())).error).toMatchObject({
      code: 'version_mismatch',
      help: 'use the `sub` that the gateway was started with, or a newer one: this one is older',
    });
    expect(world.rows('run_start')).toEqual([]);
  });

  it('do not talk when the client says nothing of its protocol, whatever it asks for', async () => {
    const world = await start();
    const { ask } = await signedPeer(world.paths.socket, readCredential(world.paths.operatorKey));
    for (const payload of [{}, { speaks: 2 }, { speaks: { protocol: '3', version: '0.1.0' } }]) {
      expect(await ask({ action: 'gateway.status', payload, silent: true })).toMatchObject({
        status: 'error',
        error: { code: 'version_mismatch' },
        signature: expect.stringMatching(/^[\w-]{43}$/),
      });
    }
  });

  it('are found out by a payload that only the other one knows', async () => {
    const world = await start();
    const client = await clientOf(world, NEWER);
    expect((await client.request('world.spawn', { shape: 'of a later version' })).error?.code).toBe(
      'version_mismatch',
    );
  });
});

describe('the command line', () => {
  it('says what to do about a gateway of another version', async () => {
    const world = await start({ speaks: NEWER });
    const status = await runSub(['status', '--home', world.paths.home, '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({
      error: {
        code: 'version_mismatch',
        help: 'use the `sub` that the gateway was started with, or a newer one: this one is older',
      },
    });
    expect(status.code).toBe(5);
  });

  it('stops a gateway that it cannot talk to: what `sub down && sub up` needs', async () => {
    const home = createHome();
    after(() => home.remove());
    const gateway = spawn(process.execPath, [OTHER, home.home, '4', '9.1.0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(gateway.stdout, 'data');
    const down = await runSub(['down', '--home', home.home, '--json']);
    expect(JSON.parse(down.stdout)).toEqual({ stopped: true, pid: gateway.pid });
    const types = openLedgerReader(home.ledger);
    after(() => types.close());
    expect(types.byType('gateway_stop').rows[0]).toMatchObject({ data: { reason: 'SIGTERM' } });
  });

  it('explains a handshake of another version by what the gateway has written down', async () => {
    const world = await start();
    const { paths } = world;
    await world.gateway.stop('test');
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.end(
        encodeFrame('{"error":{"code":"handshake_refused","message":"the gateway refused the handshake"}}'),
      );
    });
    await new Promise<void>((resolve) => server.listen(paths.socket, resolve));
    after(() => void server.close());
    const ask = async (): Promise<unknown> =>
      (JSON.parse((await runSub(['status', '--home', paths.home, '--json'])).stdout) as { error: unknown })
        .error;
    expect(await ask()).toMatchObject({ code: 'handshake_refused' });
    const me = processIdentity(process.pid);
    const file = (speaks: Speaks, begun = me?.start): void =>
      writeFileSync(paths.gatewayFile, JSON.stringify({ pid: process.pid, start: begun, ...speaks }), {
        mode: 0o600,
      });
    file(NEWER);
    expect(await ask()).toMatchObject({
      code: 'version_mismatch',
      message: expect.stringContaining('the gateway is version 9.1.0 and speaks protocol 4'),
    });
    // Of the same protocol, or left behind by a process that is gone: it explains nothing.
    file({ protocol: 3, version: '0.1.0' });
    expect(await ask()).toMatchObject({ code: 'handshake_refused' });
    file(NEWER, '1');
    expect(await ask()).toMatchObject({ code: 'handshake_refused' });
  });
});

describe('a shim', () => {
  const argv = (world: TestGateway): string[] => [
    process.execPath,
    SUB,
    'shim',
    'stdio',
    '--home',
    world.paths.home,
    '--server',
    'scripted',
    '--',
    process.execPath,
    SCRIPTED,
  ];

  it('that finds a gateway of another protocol tells its client, and starts no server', async () => {
    const world = await start({ speaks: NEWER });
    const initialize = '{"jsonrpc":"2.0","id":"one","method":"initialize","params":{}}\n';
    const [, , ...args] = argv(world);
    const shim = await runSub(args, { input: initialize });
    expect(JSON.parse(shim.stdout)).toEqual({
      jsonrpc: '2.0',
      id: 'one',
      error: {
        code: -32603,
        message:
          'subluminal: this client is version 0.1.0 and speaks protocol 3, the gateway is version 9.1.0 and speaks protocol 4; restart the client: it is older than the gateway',
        data: { code: 'version_mismatch' },
      },
    });
    expect(shim.code).toBe(5);
    expect(world.rows('upstream_begin')).toEqual([]);
  });

  it('refuses calls when the gateway was replaced by one of another protocol, and goes on when it is back', async () => {
    const world = await start();
    const session = await openRawSession(argv(world));
    after(() => void session.close());
    const call = () => session.request('tools/call', { name: 'echo', arguments: {} });
    expect(await call()).toHaveProperty('result');
    await world.restart({ speaks: NEWER });
    let refused = await call();
    await eventually('the shim has found the other gateway', async () => {
      refused = await call();
      return JSON.stringify(refused).includes('VERSION_MISMATCH');
    });
    expect(refused.error).toMatchObject({
      code: -32081,
      message: expect.stringContaining('restart the client: it is older than the gateway'),
    });
    await world.restart({ speaks: { protocol: 3, version: '0.1.0' } });
    await eventually('calls are decided again', async () => (await call()).error === undefined);
  });
});
