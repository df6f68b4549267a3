import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { httpRunToken, type JsonObject } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { ticketOfRun } from '@subluminal/ipc';
import { toolCall } from '../gateway/harness.js';
import { bundle, deny } from '../gateway/policy-bundle.js';
import { client, event, hookWorld, use } from './world.js';

const POLICY = bundle([deny('no-rm', { command: { argv: ['rm -rf *'] } }, { message: 'no removal' })], {
  mode: 'control',
});
const DENIED = {
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: 'blocked by policy: no removal',
  },
};

describe('a hook of Claude Code', () => {
  it('is answered with what the policy says, and the call stands in the record as any other', async () => {
    const world = await hookWorld({ policy: POLICY });
    const claude = client(world);
    expect(await claude.post({ body: use('PreToolUse', 't1', 'ls') })).toEqual({ status: 200, text: '{}' });
    expect(JSON.parse((await claude.post({ body: use('PreToolUse', 't2', 'rm -rf x') })).text)).toEqual(
      DENIED,
    );
    await claude.post({ body: use('PostToolUse', 't1', 'ls', { tool_response: { stdout: 'a' } }) });
    await expect
      .poll(() => world.gateway.calls().map(({ decision, end }) => [decision, end]))
      .toEqual([
        ['ALLOW', 'OK'],
        ['BLOCK', 'ERROR'],
      ]);
    const [start] = world.gateway.rows('tool_call_start');
    expect(start).toMatchObject({
      tool: ['claude:builtin', 'Bash'],
      data: {
        call: { via: 'claude_hook', transport: 'unknown', cwd: '/srv/app', context: { tool_use_id: 't1' } },
      },
    });
    const [run] = world.gateway.rows('run_start');
    expect(run?.data).toMatchObject({ client: 'claude' });
    expect(await world.gateway.verify()).not.toBe('tampered');
  });

  it.each([
    [
      'has the client show it in its terminal',
      undefined,
      '\u001b]9;sub asks: this is asked about\u0007\u0007',
    ],
    ['has it show nothing where the operator wants no notices', '[approvals]\nnotify = false\n', undefined],
  ])('that a person is asked about %s', async (_name, config, shown) => {
    const asks = {
      rule_id: 'asks',
      kind: 'ask',
      enabled: true,
      severity: 'warn',
      match: { command: { argv: ['touch *'] } },
      effect: { action: 'ASK', message: 'this is asked about' },
    };
    const policy = bundle([asks], { mode: 'control' });
    const world = await hookWorld({ policy, ...(config === undefined ? {} : { config }) });
    const { text } = await client(world).post({ body: use('PreToolUse', 't1', 'touch x') });
    expect(JSON.parse(text)['terminalSequence']).toBe(shown);
  });

  it('of two sessions in one process is of one run, and ends no call of the other', async () => {
    const world = await hookWorld();
    const claude = client(world);
    await claude.post({ body: use('PreToolUse', 't1', 'ls') });
    await claude.post({ body: use('PreToolUse', 't1', 'ls', { session_id: 's-2' }) });
    await claude.post({ body: event('SessionEnd', { reason: 'other' }) });
    await expect.poll(() => world.gateway.calls().map(({ end }) => end)).toEqual(['CANCELLED', undefined]);
    expect(world.gateway.rows('run_start')).toHaveLength(1);
  });

  it('is refused while everything is stopped', async () => {
    const world = await hookWorld();
    const claude = client(world);
    await claude.post({ body: use('PreToolUse', 't1', 'ls') });
    const operator = await world.gateway.operator();
    await operator.request('panic.begin', { reason: 'stop' });
    const { text } = await claude.post({ body: use('PreToolUse', 't2', 'ls') });
    expect(JSON.parse(text)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(text).toContain('the operator has stopped everything');
    expect(text).not.toContain('resume');
    // The run has ended: the call is in no entry of it.
    expect(world.gateway.calls()).toHaveLength(1);
  });

  it('that tells of an end nobody began changes nothing', async () => {
    const world = await hookWorld();
    const claude = client(world);
    expect(await claude.post({ body: use('PostToolUse', 'never', 'ls') })).toMatchObject({ status: 200 });
    await expect.poll(() => world.gateway.rows('hook_event').length).toBe(1);
    expect(world.gateway.calls()).toEqual([]);
  });
});

/** An object that is so deep. */
const nested = (depth: number): JsonObject => (depth === 0 ? {} : { in: nested(depth - 1) });

describe('a program that is no client', () => {
  it.each([
    ['without a token', { authorization: '' }, 401],
    ['with another token', { authorization: 'Bearer sube_nothing' }, 401],
    ['with another scheme', { authorization: 'Basic x' }, 401],
    ['with an origin, as a page of a browser has', { origin: 'http://127.0.0.1' }, 403],
    ['by another name of this machine', { host: 'rebound.example' }, 403],
    ['with a coded body', { 'content-encoding': 'gzip' }, 415],
  ])('%s is turned away', async (_name, more, status) => {
    const world = await hookWorld();
    const headers = { ...world.headers, ...more };
    const { status: got } = await client(world).post({ body: event('Stop'), headers });
    expect(got).toBe(status);
    expect(world.gateway.rows('hook_event')).toEqual([]);
  });

  it.each([
    ['no JSON', 'nonsense'],
    ['JSON with two meanings', '{"a":1,"a":2}'],
    ['no object', '[]'],
    ['half of a character', use('PreToolUse', 't1', 'rm -rf x # \ud800')],
    ['arguments that are too deep', use('PreToolUse', 't1', 'rm -rf x', { tool_input: nested(90) })],
    ['more than four MiB', use('PreToolUse', 't1', `rm -rf x # ${'x'.repeat(4_200_000)}`)],
  ])(
    'that sends %s is answered with a refusal, since every other status lets the call pass',
    async (_name, body) => {
      const world = await hookWorld();
      const { status, text } = await client(world).post({ body });
      expect([status, JSON.parse(text)]).toEqual([
        200,
        { hookSpecificOutput: expect.objectContaining({ permissionDecision: 'deny' }) },
      ]);
    },
  );

  it('that sends an event that nobody knows is told so', async () => {
    const world = await hookWorld();
    expect(await client(world).post({ body: '{"hook_event_name":"Nothing"}' })).toMatchObject({
      status: 400,
    });
  });

  it('that shows no token and sends its bodies slowly keeps no call of a client from being decided', async () => {
    const world = await hookWorld({ policy: POLICY });
    const claude = client(world);
    await claude.post({ body: use('PreToolUse', 't1', 'ls') });
    const head = `POST /hook/claude HTTP/1.1\r\nhost: 127.0.0.1:${world.port}\r\nauthorization: Bearer sube_nothing\r\ncontent-length: 9\r\n\r\n{`;
    const slow = Array.from({ length: 300 }, () =>
      connect(world.port, '127.0.0.1', function asks(this: Socket) {
        this.write(head);
      }).on('error', () => undefined),
    );
    await Promise.all(slow.map((socket) => once(socket, 'connect')));
    // A later connection is answered after all of these were accepted.
    await client(world).post({ body: event('Stop') });
    const { text } = await claude.post({ body: use('PreToolUse', 't2', 'rm -rf x') });
    for (const socket of slow) socket.destroy();
    expect(JSON.parse(text)).toEqual(DENIED);
  });

  it('asks for what is not there', async () => {
    const world = await hookWorld();
    const one = client(world);
    const at = (path: string) => `http://127.0.0.1:${world.port}${path}`;
    expect(await one.post({ body: '{}', url: at('/hook/other') })).toMatchObject({ status: 404 });
    expect(await one.post({ body: '{}', url: at('/hook/') })).toMatchObject({ status: 404 });
    expect(await one.post({ body: '', method: 'GET' })).toMatchObject({ status: 405 });
  });

  it('that a client started does not speak for it, and is counted', async () => {
    const world = await hookWorld();
    // A shell that is called `claude` starts another program, which has the client's token.
    const folder = join(dirname(world.claude), 'elsewhere');
    mkdirSync(folder);
    const shell = join(folder, 'claude');
    symlinkSync('/bin/bash', shell);
    const forger = client(world, [shell, '-c', `"${process.execPath}" "$0"; true`]);
    const answer = await forger.post({ body: use('PreToolUse', 't1', 'ls') });
    expect(answer.status).toBe(403);
    expect(world.gateway.calls()).toEqual([]);
    await expect
      .poll(() => world.gateway.rows('peers_refused').map(({ data }) => data['counts']))
      .toContainEqual({ hook_speaker: 1 });
  });

  it('shows the token of its run, which every program of the run has', async () => {
    const world = await hookWorld();
    const run = await world.gateway.run();
    const headers = { ...world.headers, authorization: `Bearer ${httpRunToken(run.credential)}` };
    expect(await client(world).post({ body: use('PreToolUse', 't1', 'ls'), headers })).toMatchObject({
      status: 401,
    });
  });

  it('that says a server is routed hides one call of it, and no other', async () => {
    const world = await hookWorld({
      policy: bundle([deny('no-read', { tool_name: { glob: ['read'] } })], { mode: 'control' }),
    });
    const claude = client(world);
    await claude.post({ body: use('PreToolUse', 't1', 'ls') });
    const [run] = world.gateway.rows('run_start');
    const { credential } = ticketOfRun(world.gateway.paths, run?.runId ?? '') ?? {};
    if (credential === undefined) throw new Error('the run has no ticket');
    const program = await world.gateway.connect(credential);
    await program.request('tool.call.begin', toolCall({ server_name: 'my files' }));
    const mcp = (name: string, id: string): string =>
      event(name, { tool_use_id: id, tool_name: 'mcp__my_files__read', tool_input: {} });
    expect((await claude.post({ body: mcp('PreToolUse', 'm1') })).text).toBe('{}');
    await claude.post({ body: mcp('PostToolUse', 'm1') });
    const told = (): unknown[] => world.gateway.rows('hook_event').map(({ data }) => data['hook']);
    await expect.poll(told).toHaveLength(2);
    expect(told()).toMatchObject([{ linked: true }, { linked: true, message: 'missing' }]);
    const { text } = await claude.post({ body: mcp('PreToolUse', 'm2') });
    expect(JSON.parse(text)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  });

  it('leaves a server to its messages, also where one of them was refused', async () => {
    const world = await hookWorld();
    const claude = client(world);
    await claude.post({ body: use('PreToolUse', 't1', 'ls') });
    const [run] = world.gateway.rows('run_start');
    const { credential } = ticketOfRun(world.gateway.paths, run?.runId ?? '') ?? {};
    if (credential === undefined) throw new Error('the run has no ticket');
    const shim = await world.gateway.connect(credential);
    const call = toolCall({ server_name: 'files' });
    const mcp = (name: string, id: string): string =>
      event(name, { tool_use_id: id, tool_name: 'mcp__files__read', tool_input: {} });
    await shim.request('tool.call.begin', call);
    await claude.post({ body: mcp('PreToolUse', 'm1') });
    // The id of the call was used before.
    const again = { ...call, context: { 'claudecode/toolUseId': 'm1' } };
    expect((await shim.request('tool.call.begin', again)).error?.code).toBe('invalid_request');
    await claude.post({ body: mcp('PostToolUse', 'm1') });
    await claude.post({ body: mcp('PreToolUse', 'm2') });
    const told = (): unknown[] => world.gateway.rows('hook_event').map(({ data }) => data['hook']);
    await expect.poll(told).toHaveLength(3);
    expect(told().some((one) => Object.hasOwn(one as object, 'message'))).toBe(false);
  });

  it('that floods the door is answered or told to wait, and harms nobody else', async () => {
    const world = await hookWorld();
    const [flooding, quiet] = [client(world), client(world)];
    await quiet.post({ body: use('PreToolUse', 't1', 'ls') });
    const flood = flooding.all(
      Array.from({ length: 600 }, (_, at) => ({ body: use('PreToolUse', `f${at}`, 'ls') })),
    );
    expect(await quiet.post({ body: use('PreToolUse', 't2', 'ls') })).toEqual({ status: 200, text: '{}' });
    const statuses = new Set((await flood).map(({ status }) => status));
    expect([...statuses].every((status) => [0, 200, 503].includes(status))).toBe(true);
    expect(await quiet.post({ body: use('PreToolUse', 't3', 'ls') })).toEqual({ status: 200, text: '{}' });
    expect(await world.gateway.verify()).not.toBe('tampered');
  });
});

describe('connections to the port that ask for nothing', () => {
  it('make room for a hook, the longest idle first', async () => {
    const world = await hookWorld({ policy: POLICY, http: { maxConnections: 8 } });
    const idle: Socket[] = [];
    for (let at = 0; at < 24; at += 1) {
      const socket = connect(world.port, '127.0.0.1');
      socket.on('error', () => undefined);
      idle.push(socket);
      await once(socket, 'connect');
      // Half of a request is none.
      if (at % 2 === 0) socket.write('POST /hook/claude HTTP/1.1\r\nhost: x\r\n');
    }
    const { text } = await client(world).post({ body: use('PreToolUse', 't1', 'rm -rf x') });
    expect(JSON.parse(text)).toEqual(DENIED);
    await expect.poll(() => idle.filter(({ destroyed }) => destroyed).length).toBe(17);
    expect(idle.at(-1)?.destroyed).toBe(false);
    for (const socket of idle) socket.destroy();
  });

  it('of many others do not cut a hook that is being decided', async () => {
    const world = await hookWorld({ policy: POLICY, http: { maxConnections: 64 } });
    const claude = client(world);
    const posts = [...Array(6).keys()].map((at) => ({ body: use('PreToolUse', `t${at}`, 'rm -rf x') }));
    const flood = setInterval(() => {
      const socket = connect(world.port, '127.0.0.1');
      socket.on('error', () => undefined);
    }, 1);
    try {
      for (let round = 0; round < 5; round += 1)
        for (const { text } of await claude.all(posts)) expect(JSON.parse(text)).toEqual(DENIED);
    } finally {
      clearInterval(flood);
    }
  });
});
