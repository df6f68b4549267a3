import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { ask, injectWorld } from './world.js';

it('an upgrade that only one side has asked for, or with a body, is none', async () => {
  const world = await injectWorld((request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/bare') request.socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\nanything');
    else response.end('no');
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
});
