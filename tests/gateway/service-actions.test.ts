import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseJson, type ActionResponse } from '@subluminal/core-types';
import type { GatewayClient } from '@subluminal/ipc';
import type { GatewayOptions } from '@subluminal/daemon';
import { describe, expect, it } from 'vitest';
import { between } from './between.js';
import { after, dataOf, start, type TestGateway } from './harness.js';

type Adapter = NonNullable<NonNullable<GatewayOptions['adapters']>['health.fetch']>;

const noFlags = '[anomaly]\nburst = "flag"\nnew_domain = "flag"\nlarge_payload = "flag"\n';

/** A service on a free port, and the requests that reached it. */
async function service(
  answer: (request: IncomingMessage) => { status?: number; location?: string; body?: string } = () => ({}),
) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const { status = 200, location, body = '{"ok":true}' } = answer(request);
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(location === undefined ? {} : { location }),
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { seen, port, url: `http://127.0.0.1:${port}` };
}

function get(url: string): Record<string, unknown> {
  return { service: 'label', endpoint: url, method: 'GET' };
}

async function allow(operator: GatewayClient, host: string, port?: number): Promise<string> {
  const added = await operator.request('allow.add', {
    host,
    ...(port === undefined ? {} : { port }),
    allow_private: true,
  });
  const { entry } = dataOf(added);
  return String((entry as { id?: unknown }).id);
}

/** The entries of an answered request, without the gateway's own. */
function trail(world: TestGateway): (string | null)[][] {
  return world
    .rows()
    .filter((row) => row.tool === 'service.api_call')
    .map((row) => [row.type, row.code]);
}

function approvalOf(answer: ActionResponse): string {
  const id = answer.error?.details?.['approval_id'];
  if (typeof id !== 'string') throw new Error('no approval was asked for');
  return id;
}

function codes(answer: ActionResponse): (string | undefined)[] {
  return [answer.status, answer.error?.code];
}

describe('the pipeline', () => {
  it('passes a fully valid request through all stages, pending before the effect and result after it', async () => {
    const world = await start({ config: noFlags });
    const pendingWhenCalled: number[] = [];
    const { url, port, seen } = await service(() => {
      pendingWhenCalled.push(
        world.rows('action_pending').filter((row) => row.tool === 'service.api_call').length,
      );
      return {};
    });
    await allow(await world.operator(), '127.0.0.1', port);
    const run = await world.run();
    const answer = await run.client.request('service.api_call', get(`${url}/a`));
    expect(answer.status).toBe('success');
    expect(dataOf(answer)).toMatchObject({ status: 200 });
    expect(seen).toEqual(['GET /a']);
    expect(pendingWhenCalled).toEqual([1]);
    expect(trail(world)).toEqual([
      ['anomaly', null],
      ['action_pending', 'pending'],
      ['action_result', 'success'],
    ]);
    const [, pending, result] = world.rows().filter((row) => row.tool === 'service.api_call');
    expect(pending?.data).toMatchObject({ destination: url, addresses: ['127.0.0.1'], source: run.id });
    expect(result?.ref).toBe(pending?.seq);
    expect(answer.auditRef).toBe(`${result?.seq}.${result?.leaf}`);
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it('refuses a header that is named `__proto__`, which would be judged and not sent', async () => {
    const world = await start({ config: noFlags });
    const { url, port, seen } = await service();
    await allow(await world.operator(), '127.0.0.1', port);
    const run = await world.run();
    const headers: unknown = JSON.parse('{"__proto__": "x", "a": "b"}');
    const answer = await run.client.request('service.api_call', { ...get(`${url}/a`), headers });
    expect(codes(answer)).toEqual(['error', 'invalid_request']);
    expect(answer.error?.message).toMatch(/^the payload of `service.api_call` does not fit: `headers` has/);
    expect(seen).toEqual([]);
    expect(trail(world)).toEqual([['action_rejected', 'rejected']]);
  });

  it('refuses a destination that is not on the allowlist: nothing is resolved, nothing is sent', async () => {
    const resolved: string[] = [];
    const world = await start({
      config: noFlags,
      resolver: {
        resolve: (host) => {
          resolved.push(host);
          return Promise.resolve(['127.0.0.1']);
        },
      },
    });
    const { seen, port } = await service();
    const run = await world.run();
    expect(codes(await run.client.request('service.api_call', get(`http://example.com:${port}/`)))).toEqual([
      'error',
      'not_allowed',
    ]);
    expect([resolved, seen]).toEqual([[], []]);
    const [rejected] = world.rows('action_rejected');
    expect(rejected?.data).toMatchObject({
      stage: 'allowlist',
      destination: `http://example.com:${port}`,
      error: { code: 'not_allowed' },
    });
    expect(world.rows('action_pending').filter((row) => row.runId === run.id)).toEqual([]);
  });

  it('refuses an allowed name that resolves to a private address', async () => {
    const world = await start({
      config: noFlags,
      resolver: { resolve: () => Promise.resolve(['93.184.216.34', '169.254.169.254']) },
    });
    const operator = await world.operator();
    await operator.request('allow.add', { host: 'example.com' });
    expect(codes(await operator.request('service.api_call', get('http://example.com/')))).toEqual([
      'error',
      'address_refused',
    ]);
  });

  it('does not use an entry that was deactivated or removed', async () => {
    const world = await start({ config: noFlags });
    const { url, port, seen } = await service();
    const operator = await world.operator();
    const first = await allow(operator, '127.0.0.1', port);
    expect((await operator.request('service.api_call', get(url))).status).toBe('success');
    await operator.request('allow.deactivate', { id: first });
    expect(codes(await operator.request('service.api_call', get(url)))).toEqual(['error', 'not_allowed']);
    const second = await allow(operator, '127.0.0.1', port);
    expect((await operator.request('service.api_call', get(url))).status).toBe('success');
    await operator.request('allow.remove', { id: second });
    expect(codes(await operator.request('service.api_call', get(url)))).toEqual(['error', 'not_allowed']);
    expect(seen).toHaveLength(2);
  });

  it('takes a destination that is allowed anew for a new one', async () => {
    const world = await start({ config: noFlags });
    const { url, port } = await service();
    const operator = await world.operator();
    const first = await allow(operator, '127.0.0.1', port);
    await operator.request('service.api_call', get(url));
    await operator.request('service.api_call', get(url));
    await operator.request('allow.deactivate', { id: first });
    await allow(operator, '127.0.0.1', port);
    await operator.request('service.api_call', get(url));
    const [known, flagged] = ['action_pending action_result', 'anomaly action_pending action_result'];
    const types = trail(world).map(([type]) => type);
    expect(types.join(' ')).toBe([flagged, known, flagged].join(' '));
  });

  it('shows in the ledger what the operator allowed', async () => {
    const world = await start();
    await (
      await world.operator()
    ).request('allow.add', { host: 'API.Example.com.', port: 443, protocol: 'https' });
    expect(world.rows('action_result').at(-1)).toMatchObject({
      tool: 'allow.add',
      data: {
        detail: { entry: { domain: 'api.example.com', port: 443, protocol: 'https', allow_private: false } },
      },
    });
  });

  it('refuses a wildcard as an allowlist entry, and records the attempt with its error', async () => {
    const world = await start();
    const operator = await world.operator();
    expect(codes(await operator.request('allow.add', { host: '*.google.com' }))).toEqual([
      'error',
      'invalid_domain',
    ]);
    expect(world.rows('action_result').at(-1)?.data).toMatchObject({
      status: 'error',
      error: { code: 'invalid_domain' },
    });
  });

  it('counts the requests of all clients in one window of their action', async () => {
    const world = await start({ config: `${noFlags}[rate_limits.actions]\n"service.api_call" = 2\n` });
    const { url, port, seen } = await service();
    const operator = await world.operator();
    await allow(operator, '127.0.0.1', port);
    const answers = [];
    for (const { client } of [await world.run(), { client: operator }, await world.run()]) {
      answers.push((await client.request('service.api_call', get(url))).status);
    }
    expect(answers).toEqual(['success', 'success', 'rate_limited']);
    expect(seen).toHaveLength(2);
  });

  it('answers rate_limited with the time to wait, and executes nothing more', async () => {
    const world = await start({ config: `${noFlags}[rate_limits.actions]\n"service.api_call" = 2\n` });
    const { url, port, seen } = await service();
    const operator = await world.operator();
    await allow(operator, '127.0.0.1', port);
    for (let index = 0; index < 2; index += 1) await operator.request('service.api_call', get(url));
    const answer = await operator.request('service.api_call', get(url));
    expect(codes(answer)).toEqual(['rate_limited', 'rate_limited']);
    expect(answer.error?.details).toMatchObject({ retry_after_ms: expect.any(Number), scope: 'action' });
    expect(seen).toHaveLength(2);
    expect(world.rows('action_rejected').at(-1)).toMatchObject({
      code: 'rate_limited',
      data: { stage: 'rate-limit' },
    });
    await world.restart();
    const again = await (await world.operator()).request('service.api_call', get(url));
    expect(codes(again)).toEqual(['rate_limited', 'rate_limited']);
  });

  it('records an action without an adapter as such, and pretends nothing', async () => {
    const world = await start({ adapters: {} });
    const operator = await world.operator();
    const answer = await operator.request('email.send', { to: ['a@example.com'], subject: 's', body: 'b' });
    expect(codes(answer)).toEqual(['error', 'adapter_unavailable']);
    expect(world.rows('action_result').at(-1)?.data).toMatchObject({
      error: { code: 'adapter_unavailable' },
    });
  });

  it('executes nothing when the ledger takes no entry', async () => {
    let broken = false;
    const world = await start({
      config: noFlags,
      wrapLedger: (ledger) =>
        new Proxy(ledger, {
          get(target, key) {
            if (key === 'append' && broken) return () => Promise.reject(new Error('disk is gone'));
            const value: unknown = Reflect.get(target, key, target);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        }),
    });
    const { url, port, seen } = await service();
    const run = await world.run();
    await allow(await world.operator(), '127.0.0.1', port);
    broken = true;
    const answer = await run.client.request('service.api_call', get(url));
    expect([...codes(answer), answer.auditRef]).toEqual(['error', 'audit_unavailable', '']);
    const { toolCall } = await import('./harness.js');
    expect(codes(await run.client.request('tool.call.begin', toolCall()))).toEqual([
      'error',
      'audit_unavailable',
    ]);
    expect(seen).toEqual([]);
    broken = false;
  });

  it('decides a redirect anew: to an allowed place it goes on, to another one it does not', async () => {
    const world = await start({ config: noFlags });
    const target = await service();
    const redirecting = await service((request) =>
      request.url === '/in'
        ? { status: 302, location: `${target.url}/there` }
        : { status: 302, location: 'http://10.9.8.7/' },
    );
    const operator = await world.operator();
    await allow(operator, '127.0.0.1', redirecting.port);
    expect(codes(await operator.request('service.api_call', get(`${redirecting.url}/in`)))).toEqual([
      'error',
      'not_allowed',
    ]);
    expect(target.seen).toEqual([]);
    await allow(operator, '127.0.0.1', target.port);
    const followed = await operator.request('service.api_call', get(`${redirecting.url}/in`));
    expect(followed.status).toBe('success');
    expect(target.seen).toEqual(['GET /there']);
    const out = await operator.request('service.api_call', get(`${redirecting.url}/out`));
    expect(codes(out)).toEqual(['error', 'not_allowed']);
    // The first one was sent: who asks again would have it done twice.
    expect(out.error?.details).toEqual({ redirects: 1 });
    expect(out.error?.message).toContain('what was asked for was sent');
    const pendings = world.rows('action_pending').filter((row) => row.tool === 'service.api_call');
    expect(pendings.map((row) => row.data['redirects'] ?? 0)).toEqual([0, 0, 1, 0]);
    expect(world.rows('action_rejected').map((row) => row.data['destination'])).toEqual([
      target.url,
      'http://10.9.8.7',
    ]);
  });

  it('says of an answer that cannot be written that it is in doubt, and the connection goes on', async () => {
    const half = '\ud83d';
    const outcomes: Awaited<ReturnType<ReturnType<Adapter['prepare']>['execute']>>[] = [
      { kind: 'success', data: { text: half } },
      { kind: 'error', code: 'adapter_failed', message: half },
      { kind: 'success', data: { text: 'whole' } },
    ];
    const adapter: Adapter = {
      prepare: () => ({
        destination: undefined,
        accountName: undefined,
        execute: () => Promise.resolve(outcomes.shift() ?? { kind: 'success', data: {} }),
      }),
    };
    const world = await start({ config: noFlags, adapters: { 'health.fetch': adapter } });
    const { client } = await world.run();
    const ask = () => client.request('health.fetch', { dataType: 'steps' });
    const answers = [await ask(), await ask(), await ask()];
    expect(answers.map(codes)).toEqual([
      ['error', 'in_doubt'],
      ['error', 'in_doubt'],
      ['success', undefined],
    ]);
    expect(world.rows('action_result').map(({ code }) => code)).toEqual(['success', 'error', 'success']);
  });

  it('is carried out a few at a time for one caller, and all are answered', async () => {
    const world = await start({ config: noFlags });
    let [now, most] = [0, 0];
    const server = createServer((_request, response) => {
      most = Math.max(most, (now += 1));
      setTimeout(() => {
        now -= 1;
        response.end('x');
      }, 20);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    after(() => void server.close());
    const { port } = server.address() as AddressInfo;
    await allow(await world.operator(), '127.0.0.1', port);
    const [run, ended] = [await world.run(), await world.run()];
    const ask = (client: GatewayClient) =>
      client.request('service.api_call', get(`http://127.0.0.1:${port}/`)).then(({ status }) => status);
    const asked = Array.from({ length: 14 }, () => ask(run.client));
    const statuses = await Promise.all(asked);
    expect([most, new Set(statuses), statuses.length]).toEqual([4, new Set(['success']), 14]);
    // Who waits is let go at the end of his run.
    const cut = Array.from({ length: 9 }, () => ask(ended.client));
    const end = (await world.operator()).request('run.end', { run_id: ended.id, status: 'CANCELLED' });
    expect((await end).status).toBe('success');
    expect(await Promise.all(cut)).not.toContain('requires_approval');
    expect(await ask(run.client)).toBe('success');
  });

  it('gives up after the configured number of redirects', async () => {
    const world = await start({ config: `${noFlags}[egress]\nmax_redirects = 2\n` });
    const loop = await service(() => ({ status: 302, location: '/again' }));
    const operator = await world.operator();
    await allow(operator, '127.0.0.1', loop.port);
    expect(codes(await operator.request('service.api_call', get(loop.url)))).toEqual([
      'error',
      'too_many_redirects',
    ]);
    expect(loop.seen).toHaveLength(3);
  });

  it('gives no secret of an account that was changed while the entry was written', async () => {
    const { world, meanwhile } = await startWithPause();
    const { port } = await service();
    const operator = await world.operator();
    await allow(operator, '127.0.0.1', port);
    const account = (origin: string, replace: boolean) =>
      operator.request('account.add', {
        name: 'work',
        kind: 'api',
        settings: { origin },
        secret: 'word-4711-of-the-api',
        salt: 's'.repeat(24),
        replace,
      });
    const url = `https://127.0.0.1:${port}`;
    expect((await account(url, false)).status).toBe('success');
    const run = await world.run();
    meanwhile(() => account('https://other.example', true));
    const answer = await run.client.request('service.api_call', get(url));
    expect(codes(answer)).toEqual(['error', 'not_allowed']);
    expect(answer.error?.message).toBe('the account `work` was changed since it was decided on');
    expect(world.rows('action_pending').at(-1)?.data).toMatchObject({ destination: url, account: 'work' });
  });

  it('decides again when the allowlist changed while the entry was written', async () => {
    const { world, meanwhile } = await startWithPause();
    const { url, port, seen } = await service();
    const operator = await world.operator();
    const id = await allow(operator, '127.0.0.1', port);
    const run = await world.run();
    meanwhile(() => operator.request('allow.deactivate', { id }));
    expect(codes(await run.client.request('service.api_call', get(url)))).toEqual(['error', 'not_allowed']);
    expect(seen).toEqual([]);
    const [pending] = world.rows('action_pending').filter((row) => row.runId === run.id);
    const [result] = world.rows('action_result').filter((row) => row.runId === run.id);
    expect(result).toMatchObject({
      ref: pending?.seq,
      code: 'error',
      data: { error: { code: 'not_allowed' } },
    });
  });

  it('does nothing for the operator who stopped everything while the entry was written', async () => {
    const { world, meanwhile } = await startWithPause();
    const { url, port, seen } = await service();
    const operator = await world.operator();
    await allow(operator, '127.0.0.1', port);
    const brake = await world.operator();
    meanwhile(() => brake.request('panic.begin', { reason: 'a key leaked' }));
    expect(codes(await operator.request('service.api_call', get(url)))).toEqual(['error', 'panicked']);
    expect(seen).toEqual([]);
    expect(world.rows('action_result').at(-1)?.code).toBe('error');
  });
});

it('dials the addresses that its entry names, also when it is decided again', async () => {
  let change: (() => Promise<unknown>) | undefined;
  let lookups = 0;
  const world = await start({
    config: noFlags,
    resolver: {
      resolve: () => {
        lookups += 1;
        return Promise.resolve([lookups === 1 ? '127.0.0.1' : '127.0.0.2']);
      },
    },
    wrapLedger: between(async (group, next) => {
      const result = await next();
      const once = group.entries.at(-1)?.tool === 'service.api_call' ? change : undefined;
      if (once !== undefined) {
        change = undefined;
        await once();
      }
      return result;
    }),
  });
  const { port, seen } = await service();
  const operator = await world.operator();
  await allow(operator, 'service.example', port);
  const run = await world.run();
  change = () => operator.request('allow.add', { host: 'other.example' });
  const answer = await run.client.request('service.api_call', get(`http://service.example:${port}/`));
  expect(codes(answer)).toEqual(['success', undefined]);
  expect([lookups, seen]).toEqual([1, ['GET /']]);
});

describe('approvals', () => {
  const config = '[anomaly]\nnew_domain = "approve"\n';
  const amount = (digits: string) =>
    parseJson(`{"service":"bank","endpoint":"URL","method":"POST","body":{"amount":${digits}}}`);

  it('are asked for at once, and let exactly that payload pass exactly once', async () => {
    const world = await start({ config });
    const { url, port, seen } = await service();
    const operator = await world.operator();
    await allow(operator, '127.0.0.1', port);
    const run = await world.run();
    const transfer = (digits: string) => ({ ...(amount(digits) as Record<string, unknown>), endpoint: url });

    const asked = await run.client.request('service.api_call', transfer('9007199254740992'));
    expect(codes(asked)).toEqual(['requires_approval', 'requires_approval']);
    expect(seen).toEqual([]);
    const approvalId = approvalOf(asked);
    const approved = await operator.request('approvals.approve', { approval_id: approvalId });
    expect(approved.status).toBe('success');

    const other = await run.client.request('service.api_call', transfer('9007199254740993'));
    expect(codes(other)).toEqual(['requires_approval', 'requires_approval']);
    expect(other.error?.details?.['approval_id']).not.toBe(approvalId);
    expect(seen).toEqual([]);

    const stranger = await world.run();
    expect((await stranger.client.request('service.api_call', transfer('9007199254740992'))).status).toBe(
      'requires_approval',
    );
    expect(seen).toEqual([]);

    expect((await run.client.request('service.api_call', transfer('9007199254740992'))).status).toBe(
      'success',
    );
    expect(seen).toEqual(['POST /']);
    const grant = world.rows('approval_granted').at(-1);
    const pending = world
      .rows('action_pending')
      .filter((row) => row.runId === run.id)
      .at(-1);
    expect(pending?.ref).toBe(grant?.seq);
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it('are answered once, also by two answers at once, and used once, also by many requests at once', async () => {
    const world = await start({ config });
    const { url, port, seen } = await service();
    const operator = await world.operator();
    await allow(operator, '127.0.0.1', port);
    const run = await world.run();
    const asked = { approval_id: approvalOf(await run.client.request('service.api_call', get(url))) };
    const answers = await Promise.all([
      operator.request('approvals.approve', asked),
      operator.request('approvals.deny', asked),
      operator.request('approvals.approve', asked),
    ]);
    expect(answers.map((answer) => answer.error?.code)).toEqual([
      undefined,
      'approval_used',
      'approval_used',
    ]);
    const recorded = world.rows().filter((row) => row.type.startsWith('approval_'));
    expect(recorded.map((row) => row.type)).toEqual(['approval_granted']);
    const second = await world.connect(run.credential);
    const used = await Promise.all(
      [run.client, second, run.client, second].map((client) => client.request('service.api_call', get(url))),
    );
    expect(used.filter((answer) => answer.status === 'success')).toHaveLength(1);
    expect(seen).toEqual(['GET /']);
  });

  it('that were denied stay denied', async () => {
    const world = await start({ config });
    const { url, port, seen } = await service();
    const operator = await world.operator();
    await allow(operator, '127.0.0.1', port);
    const asked = await operator.request('service.api_call', get(url));
    const approvalId = approvalOf(asked);
    expect((await operator.request('approvals.deny', { approval_id: approvalId })).status).toBe('success');
    const again = await operator.request('service.api_call', get(url));
    expect(codes(again)).toEqual(['requires_approval', 'requires_approval']);
    expect(again.error?.message).toContain('denied');
    expect(codes(await operator.request('approvals.approve', { approval_id: approvalId }))).toEqual([
      'error',
      'approval_used',
    ]);
    expect(seen).toEqual([]);
  });

  it('are not asked for where nothing is unusual', async () => {
    const world = await start({ config });
    expect(
      codes(await (await world.operator()).request('approvals.approve', { approval_id: 'nothing' })),
    ).toEqual(['error', 'approval_not_found']);
  });

  it('are asked for by a burst of more than ten requests, which is recorded as an anomaly', async () => {
    const world = await start({ config: '[anomaly]\nburst = "approve"\n' });
    const { url, port, seen } = await service();
    const operator = await world.operator();
    await allow(operator, '127.0.0.1', port);
    const run = await world.run();
    const statuses: string[] = [];
    for (let index = 0; index < 11; index += 1) {
      statuses.push((await run.client.request('service.api_call', get(`${url}/${index}`))).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 'success'), 'requires_approval']);
    expect(seen).toHaveLength(10);
    expect(world.rows('anomaly').filter((row) => row.data['kind'] === 'burst')).toHaveLength(1);
  });
});

/** A gateway, and what is to happen once between the entry of a service action and its execution. */
async function startWithPause() {
  let change: (() => Promise<unknown>) | undefined;
  const world = await start({
    config: noFlags,
    wrapLedger: (ledger) =>
      new Proxy(ledger, {
        get(target, key) {
          const value: unknown = Reflect.get(target, key, target);
          if (key === 'append') {
            return async (group: Parameters<typeof ledger.append>[0]) => {
              const result = await target.append(group);
              if (
                group.entries.at(-1)?.type === 'action_pending' &&
                group.entries.at(-1)?.tool === 'service.api_call'
              ) {
                const once = change;
                change = undefined;
                await once?.();
              }
              return result;
            };
          }
          return typeof value === 'function' ? value.bind(target) : value;
        },
      }),
  });
  return {
    world,
    meanwhile: (step: () => Promise<unknown>): void => {
      change = step;
    },
  };
}
