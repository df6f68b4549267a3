import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type JsonObject, type Ticket } from '@subluminal/core-types';
import { processIdentity, writeTicket } from '@subluminal/ipc';
import { describe, expect, it } from 'vitest';
import { shimArgv } from '../shim/start.js';
import { after } from '../gateway/harness.js';
import { httpWorld, resultOf, sayJson, scripted, type HttpWorld } from './world.js';

const CLIENT = fileURLToPath(new URL('fixtures/client.mjs', import.meta.url));
const ECHO = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));
const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { a: 1 } } };

interface Step {
  readonly url?: string;
  readonly headers?: Record<string, string>;
  readonly argv?: readonly string[];
  readonly body: string;
}

/** Runs a client that takes these steps; `begun` is called with its process before it takes any. */
async function client(
  steps: readonly Step[],
  env: Record<string, string> = {},
): Promise<readonly { status: number; text: string }[]> {
  const child = spawn(process.execPath, [CLIENT, JSON.stringify(steps)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  after(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.on('data', (part: Buffer) => (text += part.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  return JSON.parse(text) as { status: number; text: string }[];
}

function httpStep(world: HttpWorld, upstream: string, name: string): Step {
  return {
    url: world.url(name).href,
    headers: { ...world.headers(upstream, world.enrolToken), 'content-type': 'application/json' },
    body: JSON.stringify(CALL),
  };
}

function shimStep(world: HttpWorld): Step {
  const argv = shimArgv({
    home: world.gateway.paths.home,
    autostart: false,
    command: [process.execPath, ECHO],
  });
  return { argv, body: JSON.stringify(CALL) };
}

function runsOfCalls(world: HttpWorld): unknown[] {
  return world.gateway.rows('tool_call_start').map(({ runId }) => runId);
}

function lastStart(world: HttpWorld): JsonObject {
  const data = world.gateway.rows('run_start').at(-1)?.data;
  if (data === undefined || !isJsonObject(data)) throw new Error('no run began');
  return data;
}

describe('a client that shows the enrol token', () => {
  it.each([
    ['HTTP first', [0, 1, 2]],
    ['the shim first', [2, 0, 1]],
  ])('has one run for all its servers, over HTTP and over stdio: %s', async (_name, order) => {
    const world = await httpWorld();
    const server = await scripted((got, response) => sayJson(response, resultOf(got, {})));
    const steps = [httpStep(world, server.url, 'one'), httpStep(world, server.url, 'two'), shimStep(world)];
    const before = world.gateway.rows('run_start').length;
    const outcomes = await client(
      order.map((at) => steps[at] ?? shimStep(world)),
      { SUB_AGENT_ID: 'agent-of-the-client', SUB_ENV: 'ci' },
    );
    expect(outcomes.map(({ text }) => text.includes('"result"'))).toEqual([true, true, true]);
    expect(world.gateway.rows('run_start')).toHaveLength(before + 1);
    const [first, ...rest] = runsOfCalls(world);
    expect(rest).toEqual([first, first]);
    expect(lastStart(world)).toMatchObject({ agent_id: 'agent-of-the-client', env: 'ci', attested: false });
  });

  it('belongs to the run of what started it', async () => {
    const world = await httpWorld();
    const server = await scripted((got, response) => sayJson(response, resultOf(got, {})));
    const me = processIdentity(process.pid);
    if (me === undefined) throw new Error('this process is not known');
    const ticket: Ticket = {
      v: 1,
      run_id: world.run.id,
      agent_id: 'agent',
      client: 'custom',
      env: 'dev',
      attested: true,
      credential: world.run.credential,
    };
    expect(writeTicket(world.gateway.paths, me, ticket)).toBe(true);
    await client([httpStep(world, server.url, 'one')]);
    expect(runsOfCalls(world)).toEqual([world.run.id]);
    await world.run.client.request('run.end', { status: 'SUCCEEDED' });
    // No fresh run takes the place of one that has ended.
    const [late] = await client([httpStep(world, server.url, 'one')]);
    expect([late?.status, late?.text]).toEqual([403, expect.stringContaining('the run has ended')]);
    expect(world.gateway.rows('run_start')).toHaveLength(1);
  });

  it('is refused where the operator wants tickets, and where its process cannot be told', async () => {
    const world = await httpWorld({ config: '[runs]\nrequire_ticket = true\n' });
    const server = await scripted((got, response) => sayJson(response, resultOf(got, {})));
    const [refused] = await client([httpStep(world, server.url, 'one')]);
    expect([refused?.status, refused?.text]).toEqual([403, expect.stringContaining('sub run')]);
    // The gateway's own process is nobody's client.
    const own = await world.post(server.url, CALL, { token: world.enrolToken });
    expect([own.status, own.text]).toEqual([
      403,
      expect.stringContaining('which process asks cannot be told'),
    ]);
    expect(server.got).toEqual([]);
  });
});
