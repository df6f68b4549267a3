import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { GatewayClient } from '@subluminal/ipc';
import { expect, it } from 'vitest';
import { after, dataOf, start, toolCall, toolEnd, type TestGateway } from './harness.js';

const START = Date.parse('2026-01-02T03:04:05.000Z');

/** A service on a free port that counts what reaches it. */
async function service(): Promise<{
  readonly url: string;
  readonly port: number;
  readonly effects: () => number;
}> {
  let effects = 0;
  const server = createServer((request, response) => {
    effects += 1;
    request.resume().on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, effects: () => effects };
}

const allow = (operator: GatewayClient, port: number) =>
  operator.request('allow.add', { host: '127.0.0.1', port, allow_private: true });
const ask = (client: GatewayClient, url: string, path = '/') =>
  client.request('service.api_call', { service: 's', endpoint: `${url}${path}`, method: 'GET' });
const config = (burst: string, domain: string, limit: number) =>
  `[anomaly]\nburst = "${burst}"\nnew_domain = "${domain}"\nlarge_payload = "flag"\n` +
  `[rate_limits.actions]\n"service.api_call" = ${limit}\n`;

it('a burst goes on across a restart: no five seconds hold more than ten requests of a client', async () => {
  let now = START;
  const world = await start({ config: config('approve', 'flag', 100), clock: () => now });
  const { url, port } = await service();
  const operator = await world.operator();
  await allow(operator, port);
  for (let n = 0; n < 10; n += 1) expect((await ask(operator, url)).status).toBe('success');
  now += 4999;
  await world.restart();
  expect((await ask(await world.operator(), url)).status).toBe('requires_approval');
  now += 10_000;
  await world.restart();
  expect((await ask(await world.operator(), url)).status).toBe('success');
});

it('a request that asked for an approval is counted once, also after a restart', async () => {
  const world = await start({ config: config('flag', 'approve', 3), clock: () => START });
  const { url, port, effects } = await service();
  const operator = await world.operator();
  await allow(operator, port);
  expect((await ask(operator, url)).status).toBe('requires_approval');
  await world.restart();
  const again = await world.operator();
  const statuses = [];
  for (const path of ['/a', '/b', '/c']) statuses.push((await ask(again, url, path)).status);
  expect(statuses).toEqual(['requires_approval', 'requires_approval', 'rate_limited']);
  expect(effects()).toBe(0);
});

it('of 32 requests at once with one grant exactly one has an effect', async () => {
  // A large payload stays unusual, whatever was allowed before it.
  const world = await start({
    config: '[anomaly]\nburst = "flag"\nnew_domain = "flag"\nlarge_payload = "approve"\n',
  });
  const { url, port, effects } = await service();
  const operator = await world.operator();
  await allow(operator, port);
  const run = await world.run();
  const body = 'x'.repeat(1_100_000);
  const post = (client: GatewayClient) =>
    client.request('service.api_call', { service: 's', endpoint: url, method: 'POST', body });
  const asked = await post(run.client);
  const id = asked.error?.details?.['approval_id'];
  expect((await operator.request('approvals.approve', { approval_id: id })).status).toBe('success');
  const clients = await Promise.all(Array.from({ length: 4 }, () => world.connect(run.credential)));
  const answers = await Promise.all(Array.from({ length: 32 }, (_, n) => post(clients[n % 4] ?? run.client)));
  expect(answers.filter(({ status }) => status === 'success')).toHaveLength(1);
  expect(effects()).toBe(1);
  await world.restart();
  expect(dataOf(await (await world.operator()).request('gateway.status', {}))).toBeDefined();
});

const closedFiles = (world: TestGateway): number => {
  try {
    return readdirSync(join(world.paths.home, 'segments')).length;
  } catch {
    return 0;
  }
};

/** Calls of a run until the next start goes on in another file, each with its end. */
async function fillFile(client: GatewayClient): Promise<void> {
  const args = { text: 'x'.repeat(8000) };
  for (let n = 0; n < 70; n += 1) {
    const call = toolCall({ args });
    await client.request('tool.call.begin', call);
    const preview = { truncated: false, result_preview: 'y'.repeat(8000) };
    await client.request('tool.call.end', toolEnd(call.call_id, { preview }));
  }
}

it('what was counted is counted after a restart in whichever closed file it stands, though the clock went back', async () => {
  let now = START + 7_200_000;
  const world = await start({
    config: `${config('flag', 'flag', 3)}[ledger]\nsegment_mb = 1\n`,
    clock: () => now,
  });
  const { url, port } = await service();
  await allow(await world.operator(), port);
  const run = await world.run();
  expect((await ask(run.client, url)).status).toBe('success');
  expect((await ask(run.client, url)).status).toBe('success');
  const used = toolCall();
  expect((await run.client.request('tool.call.begin', used)).status).toBe('success');
  let client = run.client;
  for (let file = 1; file <= 3; file += 1) {
    await fillFile(client);
    // The first file alone holds what the clock was ahead for.
    now = START;
    await world.restart();
    expect(closedFiles(world)).toBe(file);
    client = await world.connect(run.credential);
  }
  const { counters } = dataOf(await client.request('run.read', {}));
  expect(counters).toMatchObject({ calls_total: 211, calls_allowed: 211, errors_total: 1 });
  expect((await client.request('tool.call.begin', used)).error?.code).toBe('invalid_request');
  expect((await ask(client, url)).status).toBe('success');
  expect((await ask(client, url)).status).toBe('rate_limited');
  await world.restart();
  expect((await ask(await world.connect(run.credential), url)).status).toBe('rate_limited');
  await world.gateway.stop('test');
  expect(await world.verify()).toBe('ok');
}, 180_000);
