import fc from 'fast-check';
import { readCredential } from '@subluminal/ipc';
import { expect, it } from 'vitest';
import { start } from './harness.js';
import { hello, RawPeer, signedPeer, type SignedPeer } from './raw-peer.js';
import { watchEachTest } from '../support/watch.js';

watchEachTest();

const base = {
  id: 'request-1',
  timestamp: new Date().toISOString(),
  action: 'gateway.status',
  payload: {},
  source: 'operator',
  signature: 'x',
};

/** Whole frames of any kind, and requests with one field replaced by anything. */
const frames = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.string({ minLength: 1 }),
  fc
    .tuple(fc.constantFrom(...Object.keys(base)), fc.jsonValue({ maxDepth: 3 }))
    .map(([key, value]) => JSON.stringify({ ...base, [key]: value })),
  fc.constantFrom(
    JSON.stringify({ ...base, id: 'a|b|c|d|e', signature: 'x|y' }),
    '{"__proto__":{"id":"request-1"}}',
    '{"id":1e400}',
    '{"id":"request-1","payload":{"__proto__":null}}',
  ),
);

it('answers any frame of an authenticated peer with an error that is signed, and goes on serving others', async () => {
  const world = await start();
  const credential = readCredential(world.paths.operatorKey);
  const bystander = await world.operator();
  let signed: SignedPeer | undefined;
  await fc.assert(
    fc.asyncProperty(frames, async (text) => {
      signed ??= await signedPeer(world.paths.socket, credential);
      signed.peer.send(text);
      const answer = await signed.peer.next();
      expect(answer).toMatchObject({
        status: 'error',
        error: { code: expect.any(String) },
        signature: expect.stringMatching(/^[\w-]{43}$/),
      });
      if (JSON.stringify(answer?.['error']).includes('"code":"invalid_request"')) return;
      // What is no request at all, or not signed, ends the connection.
      expect(await signed.peer.next()).toBeUndefined();
      signed = undefined;
    }),
    { numRuns: 150 },
  );
  expect((await bystander.request('gateway.status', {})).status).toBe('success');
});

it('refuses any first frame that is no greeting in the same way', async () => {
  const world = await start();
  const greeting = hello(readCredential(world.paths.operatorKey));
  const greetings = fc.oneof(
    fc.json({ maxDepth: 3 }),
    fc
      .tuple(fc.constantFrom('v', 'kind', 'id', 'epoch', 'nc'), fc.jsonValue({ maxDepth: 1 }))
      .map(([key, value]) => JSON.stringify({ ...greeting, [key]: value })),
  );
  await fc.assert(
    fc.asyncProperty(greetings, async (text) => {
      const peer = new RawPeer(world.paths.socket);
      peer.send(text);
      const answer = await peer.next();
      // An id or epoch that has the right form gets a proof, whether or not there is such a client.
      if (answer?.['proof_s'] === undefined) {
        expect(answer).toEqual({
          error: { code: 'handshake_refused', message: 'the gateway refused the handshake' },
        });
      }
      peer.socket.destroy();
      await peer.closed();
    }),
    { numRuns: 60 },
  );
  expect((await (await world.operator()).request('gateway.status', {})).status).toBe('success');
});
