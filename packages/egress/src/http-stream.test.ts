import { createServer, type Server } from 'node:http';
import { createServer as createTcp, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { Dialer } from './dial.js';
import { type Line, openExchange, type StreamRequest } from './http-stream.js';
import { KeptConnections } from './kept-connections.js';
import type { CheckedDestination } from './resolve.js';

const LIMITS = { connectMs: 5000, answerMs: 5000 };
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function line(): Line {
  const kept = new KeptConnections();
  ends.push(() => kept.close());
  return { dialer: new Dialer(), kept };
}

/** A decision of its own for a server on this machine. */
async function decided(server: Server | ReturnType<typeof createTcp>): Promise<CheckedDestination> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const origin = `http://127.0.0.1:${port}`;
  return { protocol: 'http', host: '127.0.0.1', port, origin, addresses: ['127.0.0.1'], allowPrivate: true };
}

function post(body: string): StreamRequest {
  return { method: 'POST', target: '/', headers: [], body: Buffer.from(body) };
}

async function said(from: Line, where: CheckedDestination, request: StreamRequest): Promise<string> {
  const answer = await openExchange(from, where, request, LIMITS, new AbortController().signal);
  const parts: Buffer[] = [];
  for await (const part of answer.body) parts.push(part as Buffer);
  await new Promise(setImmediate);
  return Buffer.concat(parts).toString();
}

/** Answers each request on a connection as `answer` says, and counts both. */
function counting(answer: (socket: Socket, request: number, connection: number) => void) {
  const counts = { connections: 0, requests: 0 };
  const server = createTcp((socket) => {
    const connection = (counts.connections += 1);
    let onThis = 0;
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      if (!bytes.toString('latin1').startsWith('POST')) return;
      counts.requests += 1;
      onThis += 1;
      answer(socket, onThis, connection);
    });
  });
  return { server, counts };
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

it('a connection is used again under the same decision, and under no other', async () => {
  const { server, counts } = counting((socket) => void socket.write(OK));
  const where = await decided(server);
  const from = line();
  for (let at = 0; at < 5; at += 1) expect(await said(from, where, post('x'))).toBe('ok');
  expect(counts).toEqual({ connections: 1, requests: 5 });
  expect(await said(from, { ...where }, post('x'))).toBe('ok');
  expect(counts.connections).toBe(2);
  from.kept.drop(where);
  expect(await said(from, where, post('x'))).toBe('ok');
  expect([counts.connections, from.kept.size]).toEqual([3, 1]);
});

it('a request that was written on a kept connection is not sent again when the server gives that up', async () => {
  const { server, counts } = counting((socket, request) => {
    if (request === 1) socket.write(OK);
    else socket.destroy();
  });
  const where = await decided(server);
  const from = line();
  expect(await said(from, where, post('first'))).toBe('ok');
  await expect(said(from, where, post('second'))).rejects.toMatchObject({ code: 'adapter_failed' });
  expect(counts).toEqual({ connections: 1, requests: 2 });
  expect(await said(from, where, post('third'))).toBe('ok');
  expect(counts).toEqual({ connections: 2, requests: 3 });
});

it('a connection that the server has closed, or said more on than it was asked, is not used again', async () => {
  const extra: ((socket: Socket) => void)[] = [
    (socket) => void socket.end(OK),
    (socket) => void socket.write(OK + OK),
    (socket) => void socket.write(OK.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')),
  ];
  for (const answer of extra) {
    const { server, counts } = counting((socket) => answer(socket));
    const where = await decided(server);
    const from = line();
    for (let at = 0; at < 3; at += 1) expect(await said(from, where, post('x'))).toBe('ok');
    expect(counts).toEqual({ connections: 3, requests: 3 });
  }
});

it('an answer that nobody reads to its end leaves no connection, and one of a server that promises time does', async () => {
  const server = createServer((_request, response) => {
    response.write('begin');
    setTimeout(() => response.end('end'), 20);
  });
  const where = await decided(server);
  const from = line();
  const answer = await openExchange(from, where, post('x'), LIMITS, new AbortController().signal);
  answer.close();
  await new Promise((resolve) => answer.body.once('close', resolve));
  expect(from.kept.size).toBe(0);
  expect(await said(from, where, post('x'))).toBe('beginend');
  expect(from.kept.size).toBe(1);
});
