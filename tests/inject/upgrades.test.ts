import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { ask, BOUND, endOf, ends, exchange, injectWorld, secureTo } from './world.js';

it('an upgrade that only one side has asked for, with a body, or behind a request that waits, is none', async () => {
  const world = await injectWorld((request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/bare') request.socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\nanything');
    else if (request.url !== '/slow') response.end('no');
  });
  const bare = await ask(world, `GET /bare HTTP/1.1\nAuthorization: ${world.held.placeholder}`);
  expect(bare).toMatch(/^HTTP\/1\.1 403 /);
  expect(bare).toContain('"code":"protocol_refused"');
  const asked = await ask(
    world,
    'POST /body HTTP/1.1\nUpgrade: websocket\nContent-Length: 40\nConnection: upgrade',
  );
  expect(asked).toMatch(/^HTTP\/1\.1 400 /);
  expect(world.got.map(({ url }) => url)).toEqual(['/bare']);

  // The second is answered by Node itself, which knows of no other expectation than one.
  for (const before of ['/slow HTTP/1.1', '/ HTTP/1.1\r\nExpect: much']) {
    const host = `Host: ${BOUND}:${world.at}\r\n`;
    const socket = await secureTo(world);
    const upgrade = `GET /ws HTTP/1.1\r\n${host}Connection: upgrade\r\nUpgrade: websocket\r\n\r\n`;
    await exchange(socket, `GET ${before}\r\n${host}\r\n${upgrade}`);
    await endOf(world, ({ requests, error }) => {
      const told = JSON.stringify(error ?? '').includes('an upgrade waits for nothing');
      return told && requests === (before.startsWith('/slow') ? 1 : 0);
    });
  }
  expect(await ask(world, 'GET /after HTTP/1.1')).toMatch(/^HTTP\/1\.1 200 /);
});

it('a client that is told no, or waits for nothing, and leaves is not waited for', async () => {
  const world = await injectWorld((request: IncomingMessage, response: ServerResponse) => {
    if (request.url !== '/never') response.end('no');
  });
  const host = `Host: ${BOUND}:${world.at}\r\n`;
  const upgrade = 'Connection: upgrade\r\nUpgrade: websocket\r\n\r\n';
  const asked = [`GET /no HTTP/1.1\r\n${host}${upgrade}`, `CONNECT a:1 HTTP/1.1\r\n${host}\r\n`];
  for (const text of asked) {
    const socket = await secureTo(world);
    await exchange(socket, text, (come) => come.includes('\r\n\r\n'));
    socket.destroy();
  }
  const waiting = await secureTo(world);
  waiting.write(`GET /never HTTP/1.1\r\n${host}${upgrade}`);
  while (world.got.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  waiting.destroy();
  // Its own connection closed, the other's refused, and the last one given up.
  await endOf(world, ({ requests, outcome }) => requests === 1 && outcome === 'closed');
  await endOf(world, ({ requests, outcome }) => requests === 0 && outcome === 'refused');
  await endOf(world, () => ends(world).length === 3);
  expect(ends(world).map(({ requests }) => requests)).toEqual([1, 0, 1]);
});
