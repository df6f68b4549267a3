import { expect, it } from 'vitest';
import { httpWorld, resultOf, sayJson, scripted } from './world.js';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

it('where the gateway goes for a remote server is recorded before it dials, with its addresses, and not for every request', async () => {
  const world = await httpWorld();
  const rows = () => world.gateway.rows().filter(({ tool }) => tool === 'http.reach');
  const before: unknown[] = [];
  const server = await scripted((got, response) => {
    before.push(rows().map(({ type }) => type));
    sayJson(response, resultOf(got, { tools: [] }));
  });
  const { port } = new URL(server.url);
  await world.post(server.url, LIST, { name: 'far' });
  await world.post(server.url, LIST, { name: 'far' });
  expect(before).toEqual([
    ['action_pending', 'action_result'],
    ['action_pending', 'action_result'],
  ]);
  const [pending, result] = rows();
  expect(pending?.data).toMatchObject({
    destination: expect.stringMatching(new RegExp(`^http://.*:${port}$`)),
    addresses: ['127.0.0.1'],
  });
  expect([result?.ref, result?.code]).toEqual([pending?.seq, 'success']);
});
