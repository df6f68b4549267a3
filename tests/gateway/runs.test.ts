import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { sha256Hex, RunOpened, type JsonObject } from '@subluminal/core-types';
import { processIdentity, readCredential, type GatewayClient } from '@subluminal/ipc';
import { describe, expect, it } from 'vitest';
import { after, dataOf, runBegin, start, toolCall, toolEnd, type TestGateway } from './harness.js';
import { denyRm } from '../support/deny-rm.js';

const TOKEN = 'token-of-an-upstream-0001';

/** A process of our own, ended after the test at the latest. */
function spawnNode(
  code = 'setInterval(() => undefined, 1000)',
  env: Record<string, string> = {},
): ChildProcess {
  const child = spawn(process.execPath, ['-e', `${code};process.stdout.write('up')`], {
    env: { ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  after(() => {
    child.kill('SIGKILL');
  });
  return child;
}

async function up(child: ChildProcess): Promise<{ pid: number; start: string }> {
  if (child.stdout !== null) await once(child.stdout, 'data');
  const identity = processIdentity(child.pid ?? 0);
  if (identity === undefined) throw new Error('the process did not start');
  return identity;
}

async function ended(child: ChildProcess): Promise<string | number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.signalCode ?? child.exitCode;
}

async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 20));
}

function typesOf(world: TestGateway, runId: string): string[] {
  return world
    .rows()
    .filter((row) => row.runId === runId)
    .map((row) => row.type);
}

function upstream(shim: { pid: number; start: string }): Record<string, unknown> {
  return {
    shim_id: 'shim-1',
    proc_id: 'proc-1',
    server_name: 'fs',
    argv_hash: sha256Hex('argv'),
    token: TOKEN,
    shim,
  };
}

describe('a run', () => {
  it('ends with its counters, closes its open calls, tells its connections, and nothing follows', async () => {
    const world = await start();
    const pushes: unknown[] = [];
    const run = await world.run((event) => pushes.push(event));
    const [done, open] = [toolCall(), toolCall()];
    await run.client.request('tool.call.begin', done);
    await run.client.request(
      'tool.call.end',
      toolEnd(done.call_id, { status: 'ERROR', error: { class: 'upstream_error', message: 'no' } }),
    );
    await run.client.request('tool.call.begin', open);
    expect((await run.client.request('run.end', { status: 'SUCCEEDED' })).status).toBe('success');
    await run.client.closed;
    expect(pushes).toEqual([{ type: 'run_ended', run_id: run.id, status: 'SUCCEEDED' }]);
    expect(typesOf(world, run.id).slice(-2)).toEqual(['tool_call_end', 'run_end']);
    expect(world.rows('tool_call_end').at(-1)).toMatchObject({
      code: 'ERROR',
      data: {
        call: { call_id: open.call_id },
        error: { class: 'unknown', code: 'interrupted', retryable: false },
      },
    });
    const ours = new RegExp(`^${process.pid}-[0-9]+$`);
    expect(world.rows('run_start').at(-1)?.data['proc_id']).toMatch(ours);
    expect(world.rows('run_end').at(-1)?.data['proc_id']).toMatch(ours);
    expect(world.rows('run_end').at(-1)?.data['run']).toMatchObject({
      status: 'SUCCEEDED',
      cause: 'requested',
      summary: { calls_total: 2, calls_allowed: 2, calls_blocked: 0, calls_throttled: 0, errors_total: 2 },
    });
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it('is ended by the operator by its id, and by nobody else', async () => {
    const world = await start();
    const [one, other] = [await world.run(), await world.run()];
    expect((await other.client.request('run.end', { run_id: one.id, status: 'FAILED' })).error?.code).toBe(
      'not_permitted',
    );
    const operator = await world.operator();
    expect((await operator.request('run.end', { run_id: one.id, status: 'CANCELLED' })).status).toBe(
      'success',
    );
    expect(await operator.request('run.end', { run_id: one.id, status: 'SUCCEEDED' })).toMatchObject({
      status: 'success',
      data: { run_id: one.id, status: 'CANCELLED', was_over: true },
    });
    expect(world.rows('run_end')).toHaveLength(1);
    const unknown = { run_id: '01ARYZ6S410000000000000000', status: 'CANCELLED' };
    expect((await operator.request('run.end', unknown)).error?.code).toBe('not_found');
    expect(world.rows('action_rejected').map(({ tool, data }) => [tool, data['error']])).toEqual([
      ['run.end', { code: 'not_permitted', message: 'a run can only end itself' }],
      ['run.end', { code: 'not_found', message: 'there is no live run `01ARYZ6S410000000000000000`' }],
    ]);
    expect((await other.client.request('run.read', {})).status).toBe('success');
  });

  it('is read, and asked which servers are routed, without an entry', async () => {
    const world = await start();
    const run = await world.run();
    const before = world.rows().length;
    for (const action of ['run.read', 'hook.routes'])
      expect((await run.client.request(action, {})).status).toBe('success');
    const context = await run.client.request('hook.context', { via: 'codex_hook', session_id: 's' });
    expect(context).toMatchObject({ status: 'success', data: { steers: false } });
    expect(world.rows()).toHaveLength(before);
  });

  it('ends when the process that holds it is gone', async () => {
    const world = await start();
    const holder = spawnNode();
    const operator = await world.operator();
    const opened = RunOpened.parse(
      (await operator.request('run.begin', runBegin({ holder: await up(holder) }))).data,
    );
    const client = await world.connect(opened.credential);
    holder.kill('SIGKILL');
    await client.closed;
    expect(world.rows('run_end').at(-1)?.data['run']).toMatchObject({
      status: 'CANCELLED',
      cause: 'holder_gone',
    });
  });

  it('is not opened for a process that is gone already', async () => {
    const world = await start();
    const operator = await world.operator();
    const gone = runBegin({ holder: { pid: process.pid, start: '1' } });
    expect((await operator.request('run.begin', gone)).error?.code).toBe('invalid_request');
  });

  it('records the id that its environment claimed, and gets its own', async () => {
    const world = await start();
    const operator = await world.operator();
    const opened = RunOpened.parse(
      (await operator.request('run.begin', runBegin({ claimed_run_id: 'operator' }))).data,
    );
    expect(opened.run_id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(world.rows('run_start').at(-1)?.data).toMatchObject({
      claimed_run_id: 'operator',
      attested: true,
    });
  });

  it('names its machine by an id of the gateway, the same after a restart, and not by what a client says', async () => {
    const world = await start();
    const operator = await world.operator();
    expect((await operator.request('run.begin', runBegin({ host_id: 'mine' }))).error?.code).toBe(
      'invalid_request',
    );
    await world.run();
    await world.restart();
    await world.run();
    const [one, two] = world.rows('run_start').map((row) => row.data['host_id']);
    expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(two).toBe(one);
  });

  it('may be opened without a ticket sixty times a minute, also across a restart', async () => {
    const world = await start({ config: '[runs]\nenrolments_per_minute = 3\n' });
    const enrol = await world.connect(readCredential(world.paths.enrolKey));
    for (let index = 0; index < 3; index += 1)
      expect((await enrol.request('run.begin', runBegin())).status).toBe('success');
    const refused = await enrol.request('run.begin', runBegin());
    expect([refused.status, refused.error?.code]).toEqual(['rate_limited', 'too_many_enrolments']);
    expect((await (await world.operator()).request('run.begin', runBegin())).status).toBe('success');
    await world.restart();
    const again = await world.connect(readCredential(world.paths.enrolKey));
    expect((await again.request('run.begin', runBegin())).error?.code).toBe('too_many_enrolments');
  });

  it('is refused, and the connection goes on, when too many live', async () => {
    const world = await start({ runs: { max: 40, operatorReserve: 8 } });
    const [operator, enrol] = [
      await world.operator(),
      await world.connect(readCredential(world.paths.enrolKey)),
    ];
    const live = async (): Promise<unknown> =>
      (dataOf(await operator.request('gateway.status', {}))['runs'] as JsonObject)['live'];
    for (const [client, most] of [
      [enrol, 32],
      [operator, 40],
    ] as const) {
      const begun = Array.from({ length: 50 }, () => client.request('run.begin', runBegin()));
      const codes = (await Promise.all(begun)).map(({ error }) => error?.code);
      expect(new Set(codes)).toEqual(new Set([undefined, 'overloaded']));
      expect(await live()).toBe(most);
    }
  });

  it('without a ticket is refused where the configuration says so', async () => {
    const world = await start({ config: '[runs]\nrequire_ticket = true\n' });
    const enrol = await world.connect(readCredential(world.paths.enrolKey));
    expect((await enrol.request('run.begin', runBegin())).error?.code).toBe('ticket_required');
  });
});

describe('a tool call', () => {
  it('ends once, and only if it was allowed in this run', async () => {
    const world = await start();
    const [run, other] = [await world.run(), await world.run()];
    const call = toolCall();
    await run.client.request('tool.call.begin', call);
    expect((await other.client.request('tool.call.end', toolEnd(call.call_id))).error?.code).toBe(
      'not_found',
    );
    const [first, second] = await Promise.all([
      run.client.request('tool.call.end', toolEnd(call.call_id)),
      run.client.request('tool.call.end', toolEnd(call.call_id)),
    ]);
    expect([first?.status, second?.error?.code]).toEqual(['success', 'replayed']);
    expect((await run.client.request('tool.call.end', toolEnd(call.call_id))).error?.code).toBe('not_found');
    expect(world.rows('tool_call_end')).toHaveLength(1);
  });

  it('cannot take the id of one that is open', async () => {
    const world = await start();
    const run = await world.run();
    const call = toolCall();
    const answers = await Promise.all([
      run.client.request('tool.call.begin', call),
      run.client.request('tool.call.begin', call),
    ]);
    expect(answers.map((answer) => answer.error?.code)).toEqual([undefined, 'invalid_request']);
  });

  it('cannot take the id of one that has ended or was refused, also after a restart', async () => {
    const world = await start({ policy: denyRm() });
    const run = await world.run();
    const [done, refused] = [toolCall(), toolCall({ tool_name: 'rm' })];
    await run.client.request('tool.call.begin', done);
    await run.client.request('tool.call.end', toolEnd(done.call_id));
    await run.client.request('tool.call.begin', refused);
    const again = async (client: GatewayClient) => [
      (await client.request('tool.call.begin', done)).error?.code,
      (await client.request('tool.call.begin', { ...refused, tool_name: 'ls' })).error?.code,
    ];
    expect(await again(run.client)).toEqual(['invalid_request', 'invalid_request']);
    await world.restart();
    const client = await world.connect(run.credential);
    expect(await again(client)).toEqual(['invalid_request', 'invalid_request']);
    expect((await client.request('tool.call.begin', toolCall())).status).toBe('success');
    const other = await world.run();
    expect((await other.client.request('tool.call.begin', done)).status).toBe('success');
    const ids = world.rows('tool_call_start').map((row) => [row.runId, row.data['call']]);
    expect(ids).toHaveLength(4);
  });

  it('shows redacted previews, also of what the shim did not redact', async () => {
    const world = await start();
    const run = await world.run();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const call = toolCall({ args: { token: secret } });
    await run.client.request('tool.call.begin', call);
    await run.client.request(
      'tool.call.end',
      toolEnd(call.call_id, { preview: { truncated: false, result_preview: `got ${secret}` } }),
    );
    await world.gateway.stop('test');
    const { openLedgerReader } = await import('@subluminal/ledger');
    const reader = openLedgerReader(world.paths.ledgerDb);
    after(() => reader.close());
    const found = reader.call(call.call_id);
    expect(Object.values(found?.previews ?? {})).toHaveLength(2);
    expect(JSON.stringify(found)).not.toContain(secret);
  });
});

describe('a restart', () => {
  it('goes on with a run whose holder lives, with its counters and its key', async () => {
    const world = await start();
    const run = await world.run();
    await run.client.request('tool.call.begin', toolCall());
    await world.restart();
    const client = await world.connect(run.credential);
    const answer = await client.request('tool.call.begin', toolCall());
    expect(answer.data).toMatchObject({ seq: 2 });
    expect((await client.request('run.read', {})).data).toMatchObject({
      counters: { calls_total: 2, calls_allowed: 2 },
    });
  });

  it('closes a call whose shim is gone as interrupted, and leaves one open whose shim lives', async () => {
    const world = await start();
    const run = await world.run();
    const shim = processIdentity(process.pid);
    if (shim === undefined) throw new Error('no identity');
    await run.client.request('upstream.begin', upstream(shim));
    const [alive, dead] = [toolCall(), toolCall({ shim_id: 'shim-2' })];
    await run.client.request('tool.call.begin', alive);
    await run.client.request('tool.call.begin', dead);
    await world.restart();
    expect(world.rows('tool_call_end').map((row) => row.data)).toMatchObject([
      { call: { call_id: dead.call_id }, error: { class: 'unknown', code: 'interrupted' } },
    ]);
    const client = await world.connect(run.credential);
    expect((await client.request('tool.call.end', toolEnd(dead.call_id))).error?.code).toBe('not_found');
    expect((await client.request('tool.call.end', toolEnd(alive.call_id))).status).toBe('success');
  });

  it('ends a run whose holder died meanwhile', async () => {
    const world = await start();
    const holder = spawnNode();
    const operator = await world.operator();
    const opened = RunOpened.parse(
      (await operator.request('run.begin', runBegin({ holder: await up(holder) }))).data,
    );
    await world.gateway.stop('test');
    holder.kill('SIGKILL');
    await ended(holder);
    await world.restart();
    expect(world.rows('run_end').at(-1)).toMatchObject({
      runId: opened.run_id,
      data: { run: { cause: 'restart' } },
    });
    await expect(
      world.connect(opened.credential).then((client) => client.request('run.read', {})),
    ).rejects.toBeDefined();
  });
});

describe('a resend', () => {
  it('after a restart gets what was recorded: the refusal, the end, or that it was cut off', async () => {
    const world = await start({ policy: denyRm() });
    const run = await world.run();
    const [cut, done, refused] = [toolCall(), toolCall(), toolCall({ tool_name: 'rm' })];
    await run.client.request('tool.call.begin', cut, { id: 'request-cut-off' });
    await run.client.request('tool.call.begin', done, { id: 'request-done' });
    await run.client.request('tool.call.end', toolEnd(done.call_id));
    const blocked = await run.client.request('tool.call.begin', refused, { id: 'request-refused' });
    expect(blocked.error?.code).toBe('policy_blocked');
    const before = world.rows('tool_call_start').length;
    const resend = async (client: GatewayClient, call: Record<string, unknown>, id: string) =>
      await client.request('tool.call.begin', call, { id });
    const second = await world.connect(run.credential);
    expect((await resend(second, { ...cut, call_id: 'another-id' }, 'request-cut-off')).error?.code).toBe(
      'in_doubt',
    );
    await world.restart();
    const client = await world.connect(run.credential);
    expect((await resend(client, cut, 'request-cut-off')).error?.code).toBe('interrupted');
    expect((await resend(client, done, 'request-done')).error?.code).toBe('replayed');
    const again = await resend(client, refused, 'request-refused');
    expect(again.error?.code).toBe('policy_blocked');
    expect(dataOf(again)['decision']).toEqual(dataOf(blocked)['decision']);
    expect(world.rows('tool_call_start')).toHaveLength(before);
  });

  it('of an operator action on another connection changes nothing a second time', async () => {
    const world = await start();
    const [one, two] = [await world.operator(), await world.operator()];
    await one.request('allow.add', { host: 'example.com' }, { id: 'add-example-1' });
    const again = await two.request('allow.add', { host: 'example.com' }, { id: 'add-example-1' });
    expect(again.error?.code).toBe('replayed');
    expect(world.rows('action_pending')).toHaveLength(1);
  });
});

describe('what a killed shim leaves', () => {
  it('is ended: whatever carries its token, also what ignores SIGTERM', async () => {
    const world = await start();
    const run = await world.run();
    const shim = spawnNode();
    await run.client.request('upstream.begin', upstream(await up(shim)));
    const call = toolCall();
    await run.client.request('tool.call.begin', call);
    const meek = spawnNode(undefined, { SUB_UPSTREAM_TOKEN: TOKEN });
    const stubborn = spawnNode("process.on('SIGTERM', () => undefined);setInterval(() => undefined, 1000)", {
      SUB_UPSTREAM_TOKEN: TOKEN,
    });
    const stranger = spawnNode(undefined, { SUB_UPSTREAM_TOKEN: `${TOKEN}x` });
    await Promise.all([up(meek), up(stubborn), up(stranger)]);
    shim.kill('SIGKILL');
    expect(await ended(meek)).toBe('SIGTERM');
    expect(await ended(stubborn)).toBe('SIGKILL');
    await until(() => world.rows('upstream_end').length === 1);
    expect(world.rows('upstream_end')[0]?.data).toMatchObject({
      cause: 'reaped',
      processes: 2,
      token_hash: sha256Hex(TOKEN),
    });
    expect(world.rows('tool_call_end').at(-1)?.data).toMatchObject({
      call: { call_id: call.call_id },
      error: { class: 'unknown' },
    });
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it('is ended by the next gateway when the gateway died too', async () => {
    const world = await start();
    const run = await world.run();
    const shim = spawnNode();
    await run.client.request('upstream.begin', upstream(await up(shim)));
    const left = spawnNode(undefined, { SUB_UPSTREAM_TOKEN: TOKEN });
    await up(left);
    await world.gateway.stop('test');
    shim.kill('SIGKILL');
    await ended(shim);
    expect(left.exitCode).toBeNull();
    await world.restart();
    expect(await ended(left)).toBe('SIGTERM');
  });

  it('is known of 128 servers of a run at once, and of no more', async () => {
    const world = await start();
    const run = await world.run();
    const shim = processIdentity(process.pid);
    if (shim === undefined) throw new Error('no identity');
    const begin = (nth: number) =>
      run.client.request('upstream.begin', { ...upstream(shim), token: `${TOKEN}-${nth}` });
    const answers = await Promise.all(Array.from({ length: 130 }, (_, nth) => begin(nth)));
    expect(answers.map((answer) => answer.error?.code ?? 'ok')).toEqual([
      ...Array.from({ length: 128 }, () => 'ok'),
      'overloaded',
      'overloaded',
    ]);
    const end = { shim_id: 'shim-1', token: `${TOKEN}-7`, exit_code: 0, signal: null };
    await run.client.request('upstream.end', end);
    expect((await begin(200)).status).toBe('success');
    expect((await (await world.run()).client.request('upstream.begin', upstream(shim))).status).toBe(
      'success',
    );
  });

  it('is reported by the shim that started it: another shim does not end its calls', async () => {
    const world = await start();
    const run = await world.run();
    const shim = processIdentity(process.pid);
    if (shim === undefined) throw new Error('no identity');
    await run.client.request('upstream.begin', { ...upstream(shim), shim_id: 'shim-2' });
    const call = toolCall();
    await run.client.request('tool.call.begin', call);
    const end = { shim_id: 'shim-1', token: TOKEN, exit_code: 0, signal: null };
    expect((await run.client.request('upstream.end', end)).error?.code).toBe('not_found');
    expect((await run.client.request('tool.call.end', toolEnd(call.call_id))).status).toBe('success');
  });

  it('is left alone once the shim has said that it is gone, and calls without an end are closed', async () => {
    const world = await start();
    const run = await world.run();
    const shim = spawnNode();
    await run.client.request('upstream.begin', upstream(await up(shim)));
    const end = { shim_id: 'shim-1', token: TOKEN, exit_code: 0, signal: null };
    const [reported, lost] = [toolCall(), toolCall()];
    await run.client.request('tool.call.begin', reported);
    await run.client.request('tool.call.begin', lost);
    void run.client.request('tool.call.end', toolEnd(reported.call_id));
    expect((await run.client.request('upstream.end', end)).status).toBe('success');
    expect((await run.client.request('upstream.end', end)).error?.code).toBe('not_found');
    expect(world.rows('upstream_end')[0]?.data).toMatchObject({ cause: 'reported', exit_code: 0 });
    expect(world.rows('tool_call_end').map((row) => row.code)).toEqual(['OK', 'ERROR']);
  });
});
