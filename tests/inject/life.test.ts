/**
 * A placeholder lives as long as its server, its run and its binding, and no longer; what it was put in on
 * ends with them.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { TLSSocket } from 'node:tls';
import { expect, it } from 'vitest';
import { dataOf } from '../gateway/harness.js';
import {
  bindingText,
  BOUND,
  endOf,
  exchange,
  injectWorld,
  loginOf,
  SECRET,
  secureTo,
  tunnelTo,
  type InjectWorld,
  UNLISTED,
} from './world.js';

const echo = () => injectWorld((request, response) => response.end(`got ${request.url}`));

async function get(world: InjectWorld, path: string, open?: TLSSocket): Promise<TLSSocket> {
  const socket = open ?? (await secureTo(world));
  const head = `GET ${path} HTTP/1.1\r\nHost: ${BOUND}:${world.at}\r\nAuthorization: Bearer ${world.held.placeholder}\r\n\r\n`;
  await exchange(socket, head, (come) => come.includes(`got ${path}`));
  return socket;
}

const closed = (socket: TLSSocket): Promise<void> =>
  new Promise((resolve) => {
    // The sockets of the tests may still speak when the other side has said all.
    if (socket.closed || socket.readableEnded) resolve();
    for (const event of ['end', 'close'] as const) socket.once(event, () => resolve());
    socket.resume();
  });
const last = (world: InjectWorld): string | undefined => world.got.at(-1)?.headers.authorization;

it('a server that runs on over a restart of the gateway goes on with its placeholder', async () => {
  const world = await echo();
  const open = await get(world, '/before');
  await world.gateway.restart();
  await closed(open);
  const again = {
    ...world,
    run: { ...world.run, client: await world.gateway.connect(world.run.credential) },
  };
  const operator = await world.gateway.operator();
  const { port } = dataOf(await operator.request('gateway.status', {}))['proxy'] as { port: number };
  expect(port).toBe(world.port);
  const { token, shimId: shim_id, placeholder, password } = world.held;
  const held = (values: unknown) =>
    again.run.client.request('secrets.held', { shim_id, token, salt: 'a'.repeat(24), values });
  const known = [
    { inject_as: 'API_TOKEN', value: placeholder },
    { inject_as: 'API_PASSWORD', value: password },
  ];
  expect((await held(known)).status).toBe('success');
  expect((await held([{ inject_as: 'API_TOKEN', value: password }])).error?.code).toBe('secret_refused');
  world.got.length = 0;
  (await get(again, '/after')).destroy();
  expect(last(world)).toBe(`Bearer ${SECRET}`);
});

it('connections are cut when their run ends, and when everything is stopped', async () => {
  const world = await echo();
  const other = await world.gateway.run();
  const theirs = { ...world, run: other, held: await world.start(other) };
  const [ours, others] = [await get(world, '/ours'), await get(theirs, '/theirs')];
  await other.client.request('run.end', { status: 'SUCCEEDED' });
  await closed(others);
  expect(await tunnelTo(world, `${BOUND}:${world.at}`, loginOf(other))).toContain('HTTP/1.1 403');
  await get(world, '/still', ours);
  const operator = await world.gateway.operator();
  await operator.request('panic.begin', { reason: 'a test' });
  await closed(ours);
  expect(await tunnelTo(world, `${BOUND}:${world.at}`)).toContain('HTTP/1.1 403');
});

it('a binding that is taken out, or leads elsewhere, counts at once, for open connections too', async () => {
  const world = await echo();
  const before = readFileSync(world.configPath, 'utf8');
  const open = await get(world, '/bound');
  writeFileSync(world.configPath, before.replaceAll(`"${BOUND}:${world.at}"`, '"elsewhere.example"'));
  await closed(open);
  expect(await endOf(world, ({ outcome }) => outcome === 'cut')).toMatchObject({
    requests: 1,
    error: { code: 'secret_refused' },
  });
  const plain = await secureTo(world, { ca: world.authority.ca });
  (await get(world, '/unbound', plain)).destroy();
  expect(last(world)).toBe(`Bearer ${world.held.placeholder}`);
  // A file with a mistake lets nothing through that could have been bound.
  writeFileSync(world.configPath, `${before}\nnonsense = `);
  expect(await tunnelTo(world, `${BOUND}:${world.at}`)).toContain('HTTP/1.1 403');
  // Back as it was, another server's command apart.
  writeFileSync(world.configPath, before.replaceAll('issues-server', 'another-server'));
  (await get(world, '/other', await secureTo(world, { ca: world.authority.ca }))).destroy();
  expect(last(world)).toBe(`Bearer ${world.held.placeholder}`);
  writeFileSync(world.configPath, before);
  (await get(world, '/again')).destroy();
  expect(last(world)).toBe(`Bearer ${SECRET}`);
});

it('another value counts from the next connection on, and one of another length not before a restart', async () => {
  const world = await echo();
  const operator = await world.gateway.operator();
  const replace = async (value: string): Promise<void> => {
    const salt = 'a'.repeat(24);
    dataOf(await operator.request('secrets.add', { name: 'api_token', value, salt, replace: true }));
  };
  await replace(SECRET.replaceAll('real', 'next'));
  (await get(world, '/next')).destroy();
  expect(last(world)).toBe(`Bearer ${SECRET.replaceAll('real', 'next')}`);
  await replace(`${SECRET}longer`);
  expect(await tunnelTo(world, `${BOUND}:${world.at}`)).toContain('has to be started anew');
});

it('a server does not start with a secret that no placeholder can stand for, or without a proxy', async () => {
  const world = await echo();
  const operator = await world.gateway.operator();
  const add = async (name: string, value: string): Promise<void> => {
    dataOf(await operator.request('secrets.add', { name, value, salt: 'a'.repeat(24), replace: false }));
  };
  await add('short', 'only-15-letters');
  await add('unfit', 'has a letter ä that no header holds');
  for (const [name, why] of [
    ['short', 'fewer than 16'],
    ['unfit', 'no header holds'],
  ] as const) {
    writeFileSync(world.configPath, world.config(bindingText('API_TOKEN', 'store', name, world.at)));
    await expect(world.start(world.run)).rejects.toThrow(why);
  }
  const bindings = bindingText('API_TOKEN', 'store', 'api_token', world.at);
  writeFileSync(world.configPath, world.config(bindings).replace('"observe"', '"off"'));
  await world.gateway.restart();
  const run = { ...world.run, client: await world.gateway.connect(world.run.credential) };
  await expect(world.start(run)).rejects.toThrow('put in by the proxy, and there is none');
});

it('what a server trusts stays as long as its run, and is removed when a gateway starts without any', async () => {
  const world = await echo();
  const { bundle, own } = world.held.trust;
  await world.gateway.restart();
  expect([existsSync(bundle), existsSync(own)]).toEqual([true, true]);
  const operator = await world.gateway.operator();
  await operator.request('run.end', { run_id: world.run.id, status: 'SUCCEEDED' });
  await world.gateway.restart();
  expect([existsSync(bundle), existsSync(own)]).toEqual([false, false]);
});

it('an entry for requests without TLS lets no secret out, which goes over TLS only', async () => {
  const world = await echo();
  await world.allow(UNLISTED, { port: world.at, protocol: 'http' });
  const target = `${UNLISTED}:${world.at}`;
  expect(await tunnelTo(world, target)).toContain('secrets go to listed places only');
  await world.allow(UNLISTED, { port: world.at, protocol: 'https' });
  expect(await tunnelTo(world, target)).not.toBeTypeOf('string');
});
