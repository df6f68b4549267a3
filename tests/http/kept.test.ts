import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { httpRunToken } from '@subluminal/core-types';
import { dataOf } from '../gateway/harness.js';
import { eventually } from '../harness/processes.js';
import { httpWorld, resultOf, sayJson, scripted } from './world.js';

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { a: 1 } } };

/** A server that tells its connections apart. */
async function told() {
  const sockets: Socket[] = [];
  const server = await scripted((got, response, { socket }) => {
    if (!sockets.includes(socket)) sockets.push(socket);
    sayJson(response, resultOf(got, { content: [] }));
  });
  return { server, sockets };
}

it('calls of one run share a connection, those of another have their own, and the end of the run ends it', async () => {
  const world = await httpWorld();
  const { server, sockets } = await told();
  for (let at = 0; at < 4; at += 1) expect((await world.post(server.url, CALL)).status).toBe(200);
  expect(sockets).toHaveLength(1);
  const other = await world.gateway.run();
  const token = httpRunToken(other.credential);
  expect((await world.post(server.url, CALL, { token })).status).toBe(200);
  expect(sockets).toHaveLength(2);
  const operator = await world.gateway.operator();
  await operator.request('run.end', { run_id: world.run.id, status: 'SUCCEEDED' });
  await eventually('the connection of the ended run is closed', () => sockets[0]?.destroyed === true);
  expect(sockets[1]?.destroyed).toBe(false);
});

it('a change of the allowlist ends what was connected under the decision before it', async () => {
  const world = await httpWorld();
  const { server, sockets } = await told();
  expect((await world.post(server.url, CALL)).status).toBe(200);
  const operator = await world.gateway.operator();
  await operator.request('allow.add', { host: 'elsewhere.test' });
  expect((await world.post(server.url, CALL)).status).toBe(200);
  expect(sockets).toHaveLength(2);
  await eventually('the first connection is closed', () => sockets[0]?.destroyed === true);
  const { entries } = dataOf(await operator.request('allow.list', {})) as {
    entries: { readonly id: string; readonly domain: string }[];
  };
  const id = entries.find(({ domain }) => domain === '127.0.0.1')?.id;
  expect((await operator.request('allow.remove', { id })).status).toBe('success');
  const refused = await world.post(server.url, CALL);
  expect(refused.json()).toMatchObject({ error: { data: { code: 'not_allowed' } } });
  expect(server.got).toHaveLength(2);
});
