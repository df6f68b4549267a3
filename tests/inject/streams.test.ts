/**
 * What is long passes as it comes, at the pace of who reads it; and what is no HTTP any more is still without
 * secrets.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { holdBack } from '../gateway/cleanups.js';
import {
  BOUND,
  endOf,
  exchange,
  injectWorld,
  loginOf,
  secured,
  SECRET,
  secureTo,
  textOf,
  tunnelTo,
  type InjectWorld,
} from './world.js';

const LONG = 6 * 1024 * 1024;
/** Buffers of two sockets of the system, of TLS and of streams are less. */
const UNREAD = 24 * 1024 * 1024;
const bytes = randomBytes(LONG);
const hash = (data: Buffer): string => createHash('sha256').update(data).digest('hex');

let world: InjectWorld;
let leave: () => Promise<void> = () => Promise.resolve();
/** What the server has written of an answer that nobody reads, and whether it was left. */
const stalled = { written: 0, isLeft: false };

beforeAll(async () => {
  world = await injectWorld(
    (message, response) => {
      const { url, headers } = message;
      if (url === '/down') response.end(bytes);
      else if (url === '/stalled') {
        response.once('close', () => {
          stalled.isLeft = true;
        });
        const write = (): void => {
          while (!response.destroyed) {
            stalled.written += 65_536;
            if (!response.write(bytes.subarray(0, 65_536))) break;
          }
        };
        response.on('drain', write);
        write();
      } else if (url === '/up') response.end(hash(Buffer.from(textOf(message), 'latin1')));
      else response.end(headers.authorization);
    },
    {},
    () => '',
    (server) =>
      server.on('upgrade', (message: IncomingMessage, socket: Socket) => {
        const extensions = message.headers['sec-websocket-extensions'];
        socket.write(
          `HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX: ${extensions}\r\n\r\n`,
        );
        socket.write(`hello ${message.headers.authorization}`);
        socket.on('data', (piece) => socket.write(piece));
        socket.on('error', () => undefined);
      }),
  );
  leave = holdBack();
}, 180_000);
afterAll(() => leave());

/** A request of Node's own client over an inspected connection, and its answer. */
function over(socket: TLSSocket, path: string, body?: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: BOUND,
        port: world.at,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${world.held.placeholder}` },
        createConnection: () => socket,
      },
      resolve,
    );
    asked.once('error', reject);
    asked.end(body);
  });
}

async function whole(answer: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

it('long bodies arrive as they were, both ways', async () => {
  expect(hash(await whole(await over(await secureTo(world), '/down')))).toBe(hash(bytes));
  expect((await whole(await over(await secureTo(world), '/up', bytes))).toString()).toBe(hash(bytes));
  // In chunks, as a client sends what it does not know the length of.
  const socket = await secureTo(world);
  const text = await exchange(
    socket,
    `POST /up HTTP/1.1\r\nHost: ${BOUND}:${world.at}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`,
  );
  expect(text).toContain(hash(Buffer.from('abcde')));
  expect(world.got.at(-1)?.headers['transfer-encoding']).toBe('chunked');
});

it('an answer that nobody reads stays with its server, and one that is left is left there too', async () => {
  const answer = await over(await secureTo(world), '/stalled');
  let before = -1;
  while (before !== stalled.written) {
    before = stalled.written;
    await sleep(250);
  }
  expect(stalled.written).toBeLessThan(UNREAD);
  answer.destroy();
  while (!stalled.isLeft) await sleep(5);
});

it('WebSocket passes, without compression and without secrets', async () => {
  const socket = await secureTo(world);
  const head = `GET /ws HTTP/1.1\r\nHost: ${BOUND}:${world.at}\r\nAuthorization: Bearer ${world.held.placeholder}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n`;
  const text = await exchange(socket, head, (come) =>
    come.includes(`hello Bearer ${world.held.placeholder}`),
  );
  expect(text).toMatch(/^HTTP\/1\.1 101 /);
  expect(text).toContain('X: undefined');
  expect(text).toContain(`hello Bearer ${world.held.placeholder}`);
  expect(text).not.toContain(SECRET);
  expect(await exchange(socket, 'some frame', (come) => come.includes('frame'))).toBe('some frame');
  socket.destroy();
  expect(
    await endOf(world, ({ injected }) => JSON.stringify(injected).includes('"requests":1')),
  ).toBeDefined();
});

it('a client that speaks HTTP/2 alone does not connect', async () => {
  const peer = await tunnelTo(world, `${BOUND}:${world.at}`, loginOf(world.run));
  if (typeof peer === 'string') throw new Error(peer);
  await expect(secured(peer, readFileSync(world.held.trust.bundle, 'utf8'), BOUND, ['h2'])).rejects.toThrow(
    /application protocol|closed/i,
  );
});
