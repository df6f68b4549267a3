import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { eventually, processesWith } from '../harness/processes.js';
import type { Answer, RawSession } from '../harness/raw-session.js';
import { GATEWAY, GatewayHome } from '../support/gateway-home.js';
import { startShim } from './start.js';

const Runs = z.object({ runs: z.array(z.looseObject({ run_id: z.string() })) });

let home: GatewayHome;
let sessions: RawSession[] = [];

beforeEach(() => {
  home = new GatewayHome();
});

afterEach(async () => {
  for (const session of sessions) if (session.child.exitCode === null) await session.close();
  sessions = [];
  await home.remove();
});

async function shim(autostart = true): Promise<RawSession> {
  const session = await startShim({ home: home.paths.home, autostart });
  sessions.push(session);
  return session;
}

const echo = (session: RawSession): Promise<Answer> =>
  session.request('tools/call', { name: 'echo', arguments: {} });

describe('when no gateway runs', () => {
  test('ten shims at once start one gateway and share one run', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => shim()));
    for (const session of all) expect(await echo(session)).toHaveProperty('result');
    expect(
      processesWith(home.paths.home).filter(({ command }) => command.includes(`${GATEWAY} --home`)),
    ).toHaveLength(1);
    expect(Runs.parse(await home.ask('runs.list')).runs).toHaveLength(1);
    const tickets = readdirSync(home.paths.ticketsDir);
    expect(tickets).toEqual([expect.stringMatching(new RegExp(`^${process.pid}-[0-9]+$`))]);
  });

  test('a shim that may not start one ends with 5', async () => {
    await expect(shim(false)).rejects.toThrow(/ended with 5/);
  });

  test('a gateway that cannot start is told with its reason', async () => {
    writeFileSync(home.paths.config, 'no_such_setting = 1\n', { mode: 0o600 });
    const { startGateway } = await import('@subluminal/shim');
    await expect(startGateway({ paths: home.paths, entry: GATEWAY })).rejects.toMatchObject({
      code: 'gateway_unreachable',
      message: expect.stringContaining('no_such_setting'),
    });
  });

  test('a home that does not exist is not created', async () => {
    rmSync(home.paths.home, { recursive: true });
    await expect(shim()).rejects.toThrow(/ended with 5/);
    expect(readdirSync(home.root)).toEqual([]);
  });
});

describe('when the gateway goes away', () => {
  test('calls are refused and the session lives on', async () => {
    await home.start();
    const session = await shim(false);
    await home.endGateway('SIGKILL');
    const refused = await echo(session);
    expect(refused.error).toMatchObject({
      code: -32081,
      data: {
        subluminal: {
          action: 'BLOCK',
          rule_id: null,
          reason_code: 'GATEWAY_UNREACHABLE',
          tool_name: 'echo',
          args_hash: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
          policy: { policy_id: 'builtin-observe', policy_version: '1.0.0' },
        },
      },
    });
    expect(await session.request('ping')).toHaveProperty('result');
    await home.start();
    await eventually('a call is decided again', async () => (await echo(session)).error === undefined);
  });

  test('it is started again by a later call', async () => {
    const session = await shim();
    expect(await echo(session)).toHaveProperty('result');
    await home.endGateway('SIGKILL');
    await eventually('a call is decided again', async () => (await echo(session)).error === undefined);
    expect(await home.gatewayPid()).toBeGreaterThan(0);
  });
});

describe('when the operator has stopped everything', () => {
  test('a call is refused with that, and with what its agent is to do', async () => {
    await home.start();
    const session = await shim();
    await home.ask('panic.begin', { reason: 'x' });
    expect((await echo(session)).error).toMatchObject({
      code: -32081,
      message: expect.stringContaining(
        'the operator has stopped everything, so the call was not made: do nothing more, and say so',
      ),
      data: { subluminal: { reason_code: 'PANICKED' } },
    });
    await eventually('the shim ends', () => session.child.exitCode !== null);
  });
});

describe('when the run has ended', () => {
  test('a session that does nothing ends as well', async () => {
    await home.start();
    const session = await shim();
    const { runs } = Runs.parse(await home.ask('runs.list'));
    await home.ask('run.end', { run_id: runs[0]?.run_id, status: 'TERMINATED' });
    await eventually('the shim ends', () => session.child.exitCode !== null);
    expect(session.child.exitCode).toBe(3);
  });

  test('no gateway is started to find that out', async () => {
    const session = await shim();
    await home.endGateway('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 500));
    await expect(home.gatewayPid()).rejects.toMatchObject({ code: 'gateway_unreachable' });
    expect(await session.request('ping')).toHaveProperty('result');
  });

  test('calls are refused, the session ends, and no other run takes its place', async () => {
    await home.start();
    const session = await shim();
    const { runs } = Runs.parse(await home.ask('runs.list'));
    await home.ask('run.end', { run_id: runs[0]?.run_id, status: 'TERMINATED' });
    expect((await echo(session)).error).toMatchObject({
      code: -32081,
      data: { subluminal: { reason_code: 'RUN_ENDED' } },
    });
    await eventually('the shim ends', () => session.child.exitCode !== null);
    expect(session.child.exitCode).toBe(3);
    await expect(shim()).rejects.toThrow(/ended with 5/);
    expect(Runs.parse(await home.ask('runs.list')).runs).toEqual([]);
  });
});
