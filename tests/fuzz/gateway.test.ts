import { createConnection, type Socket } from 'node:net';
import { encodeFrame } from '@subluminal/core-types';
import { readCredential } from '@subluminal/ipc';
import { expect, it } from 'vitest';
import { start, toolCall, toolEnd } from '../gateway/harness.js';
import { hello, signedPeer } from '../gateway/raw-peer.js';
import { mutate } from './engine/mutate.js';
import { Random } from './engine/random.js';
import { watchEachTest } from '../support/watch.js';

watchEachTest();

const LONG = process.env['SUB_LONG'] !== undefined;
const INPUTS = LONG ? 20_000 : 120;

/** Sends bytes on a connection of their own and waits until the gateway has answered or closed it. */
function throwAt(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.destroy();
      resolve();
    };
    socket.on('error', done).on('close', done).on('data', done);
    socket.write(bytes);
    // Half of a frame is answered by nothing: the gateway waits for the rest, and we do not.
    setTimeout(done, 40);
  });
}

it(
  `${INPUTS} mutated streams on real sockets, before and after a handshake, disturb no other session`,
  async () => {
    const world = await start();
    const { client } = await world.run();
    const credential = readCredential(world.paths.operatorKey);
    const random = new Random(LONG ? Date.now() : 7);
    const frame = (value: unknown): Buffer => encodeFrame(JSON.stringify(value));
    const first = [
      frame(hello(credential)),
      Buffer.concat([frame(hello(credential)), frame({ proof_c: 'A'.repeat(43) })]),
    ];
    const request = {
      id: 'request-0001',
      timestamp: new Date().toISOString(),
      action: 'gateway.stop',
      payload: {},
      source: 'operator',
      signature: 'A'.repeat(43),
    };
    const later = [
      frame(request),
      frame({ ...request, action: 'tool.call.begin', payload: toolCall() }),
      frame([request]),
    ];
    const words = [
      '"gateway.stop"',
      '"operator"',
      '{',
      '}',
      '\\u0000',
      '\0\0\0\u0001',
      '"signature":""',
      '|',
    ];

    for (let n = 0; n < INPUTS; n += 1) {
      const known = n % 3 === 0;
      const seeds = known ? later : first;
      const input = mutate(random, random.pick(seeds), {
        others: [...first, ...later],
        words,
        maxBytes: 9000,
      });
      const socket = known
        ? (await signedPeer(world.paths.socket, credential)).peer.socket
        : createConnection(world.paths.socket);
      await throwAt(socket, input);
      if (n % 10 !== 0) continue;
      const call = toolCall();
      expect((await client.request('tool.call.begin', call)).status).toBe('success');
      expect((await client.request('tool.call.end', toolEnd(call.call_id))).status).toBe('success');
    }
    expect(world.rows('gateway_stop')).toEqual([]);
    expect((await (await world.operator()).request('gateway.status', {})).status).toBe('success');
  },
  LONG ? 3_600_000 : 60_000,
);
