import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ActionResponse, encodeFrame } from '@subluminal/core-types';
import { connectGateway, type GatewayClient } from '@subluminal/ipc';
import { HandshakeGateway, type HandshakeGatewayOptions, type Peer } from '../support/handshake-gateway.js';

let folder: string;
let gateway: HandshakeGateway | undefined;
let clients: GatewayClient[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ipc-'));
});

afterEach(async () => {
  for (const client of clients) client.close();
  clients = [];
  await gateway?.close();
  gateway = undefined;
  rmSync(folder, { recursive: true });
});

async function start(options: Omit<HandshakeGatewayOptions, 'socketPath'>): Promise<HandshakeGateway> {
  gateway = new HandshakeGateway({ ...options, socketPath: join(folder, 's') });
  await gateway.listen();
  return gateway;
}

async function connect(
  to: HandshakeGateway,
  overrides: { clock?: () => number } = {},
): Promise<GatewayClient> {
  const client = await connectGateway({
    socketPath: join(folder, 's'),
    credential: to.credential('run', 'run-1'),
    clock: overrides.clock ?? Date.now,
  });
  clients.push(client);
  return client;
}

describe('an authenticated connection', () => {
  test('carries a request and its verified answer', async () => {
    const server = await start({
      answer: (request) => ({ data: { echo: request.payload }, auditRef: '7.abc' }),
    });
    const client = await connect(server);
    const answer = await client.request('run.read', { b: 1, a: 'é', big: 0.1 });
    expect(answer).toMatchObject({
      status: 'success',
      data: { echo: { a: 'é', b: 1, big: 0.1 } },
      auditRef: '7.abc',
    });
    expect(server.requests[0]).toMatchObject({ action: 'run.read', source: 'run-1' });
    expect(server.failures).toEqual([]);
  });

  test('matches answers that come in another order', async () => {
    const held: (() => void)[] = [];
    const server = await start({
      answer: async (request) => {
        if (request.payload['n'] === 0) await new Promise<void>((resolve) => held.push(resolve));
        else if (request.payload['n'] === 49) held[0]?.();
        return { data: request.payload['n'] };
      },
    });
    const client = await connect(server);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => client.request('run.read', { n })),
    );
    expect(answers.map((answer) => answer.data)).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  test('gives ids that rise and are never used twice', async () => {
    const server = await start({ answer: () => ({}) });
    const client = await connect(server);
    for (let n = 0; n < 40; n += 1) await client.request('run.read', {});
    const ids = server.requests.map((request) => request.id);
    expect(ids).toEqual([...new Set(ids)].toSorted());
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{8,64}$/);
  });

  test('hands verified pushes over, counted in the same sequence as answers', async () => {
    const server = await start({
      answer: (request, peer) => {
        peer.push({ n: request.payload['n'] });
        return {};
      },
    });
    const seen: unknown[] = [];
    const client = await connectGateway({
      socketPath: join(folder, 's'),
      credential: server.credential('operator', 'operator'),
      clock: Date.now,
      onPush: (event) => seen.push(event),
    });
    clients.push(client);
    await client.request('gateway.status', { n: 1 });
    await client.request('gateway.status', { n: 2 });
    expect(seen).toEqual([{ n: 1 }, { n: 2 }]);
    expect(server.requests[0]?.source).toBe('operator');
  });

  test('repeats a stale request once, under a new id and with the time of the gateway', async () => {
    const now = Date.now();
    const server = await start({
      answer: (request) =>
        Math.abs(Date.parse(request.timestamp) - now) > 30_000
          ? {
              status: 'error',
              error: { code: 'stale_timestamp', message: 'stale' },
              timestamp: new Date(now).toISOString(),
            }
          : { data: 'ok' },
    });
    const client = await connect(server, { clock: () => now - 3_600_000 });
    expect((await client.request('run.read', {})).data).toBe('ok');
    expect(server.requests).toHaveLength(2);
    expect(server.requests[0]?.id).not.toBe(server.requests[1]?.id);
    await client.request('run.read', {});
    expect(server.requests).toHaveLength(3);
  });

  test('does not repeat a stale answer twice', async () => {
    const server = await start({
      answer: () => ({ status: 'error', error: { code: 'stale_timestamp', message: 'stale' } }),
    });
    const client = await connect(server);
    expect((await client.request('run.read', {})).error?.code).toBe('stale_timestamp');
    expect(server.requests).toHaveLength(2);
  });

  test('gives a stale answer as it is where its time cannot be read, and goes on', async () => {
    let stale = true;
    const server = await start({
      answer: () =>
        stale
          ? { status: 'error', error: { code: 'stale_timestamp', message: 'stale' }, timestamp: 'T' }
          : { data: 'ok' },
    });
    const client = await connect(server);
    expect((await client.request('run.read', {})).error?.code).toBe('stale_timestamp');
    expect(server.requests).toHaveLength(1);
    stale = false;
    expect((await client.request('run.read', {})).data).toBe('ok');
  });

  test('gives up after the limit of time and stays usable when the answer comes late', async () => {
    let release: (() => void) | undefined;
    const server = await start({
      answer: async (request) => {
        if (request.payload['slow'] === true) await new Promise<void>((resolve) => (release = resolve));
        return { data: 'done' };
      },
    });
    const client = await connect(server);
    await expect(client.request('run.read', { slow: true }, { timeoutMs: 20 })).rejects.toMatchObject({
      code: 'timed_out',
    });
    const abort = new AbortController();
    const given = client.request('run.read', { slow: true }, { signal: abort.signal });
    release?.();
    abort.abort();
    await expect(given).rejects.toMatchObject({ code: 'timed_out' });
    expect((await client.request('run.read', {})).data).toBe('done');
  });

  test('sends megabytes of requests through a peer that reads slowly, in order', async () => {
    const server = await start({ answer: (request) => ({ data: request.payload['n'] }) });
    const client = await connect(server);
    const pad = 'x'.repeat(200_000);
    const [peer] = server.peers;
    peer?.socket.pause();
    const asked = Array.from({ length: 60 }, (_, n) => client.request('run.read', { n, pad }));
    setTimeout(() => peer?.socket.resume(), 50);
    expect((await Promise.all(asked)).map((answer) => answer.data)).toEqual(asked.map((_, n) => n));
    expect(server.failures).toEqual([]);
  });

  test('refuses a payload that has no canonical form, and a frame over the limit, and goes on', async () => {
    const server = await start({ answer: () => ({ data: 1 }) });
    const client = await connect(server);
    await expect(client.request('run.read', { x: Number.NaN })).rejects.toMatchObject({
      code: 'not_canonical',
    });
    await expect(client.request('run.read', { x: 'y'.repeat(9_000_000) })).rejects.toMatchObject({
      code: 'frame_too_large',
    });
    await expect(client.request('run.read', {}, { id: 'short' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect((await client.request('run.read', {})).data).toBe(1);
  });
});

describe('what does not verify ends the connection and allows nothing', () => {
  const forgeries: Record<string, (signed: Record<string, unknown>, peer: Peer) => unknown> = {
    'an unsigned answer': ({ signature: _signature, ...rest }) => rest,
    'a changed status': (signed) => ({ ...signed, status: 'success' }),
    'changed data': (signed) => ({ ...signed, data: { decision: { action: 'ALLOW' } } }),
    'a changed time': (signed) => ({ ...signed, timestamp: '2026-01-01T00:00:00.000Z' }),
    'a changed reference': (signed) => ({ ...signed, auditRef: '1.00' }),
    'an unknown request id': (signed) => ({ ...signed, requestId: 'another-request' }),
    'a zero signature': (signed) => ({ ...signed, signature: 'A'.repeat(43) }),
    'an unsigned error': () => ({ error: { code: 'policy_blocked', message: 'no' } }),
    'an unsigned push': () => ({ event: { type: 'x' } }),
    'an array': () => [1],
  };

  test.each(Object.entries(forgeries))('%s', async (_name, forge) => {
    const server = await start({
      answer: (_request, peer) => ({
        status: 'error',
        error: { code: 'policy_blocked', message: 'blocked' },
        raw: (signed) => forge(signed, peer),
      }),
    });
    const client = await connect(server);
    const asked = [client.request('tool.call.begin', {}), client.request('tool.call.begin', {})];
    for (const request of asked) await expect(request).rejects.toMatchObject({ code: 'gateway_unreachable' });
    expect((await client.closed).code).toBe('gateway_unreachable');
    await expect(client.request('run.read', {})).rejects.toMatchObject({ code: 'gateway_unreachable' });
  });

  test('an answer that belongs to another request of the same connection', async () => {
    const signedAnswers: Record<string, unknown>[] = [];
    const server = await start({
      answer: () => ({
        raw: (signed) => {
          signedAnswers.push(signed);
          return signedAnswers.length === 1
            ? signed
            : { ...signedAnswers[0], requestId: signed['requestId'] };
        },
      }),
    });
    const client = await connect(server);
    await client.request('run.read', {});
    await expect(client.request('run.read', {})).rejects.toMatchObject({ code: 'gateway_unreachable' });
  });

  test('the same answer twice', async () => {
    const server = await start({
      answer: (_request, peer) => ({
        raw: (signed) => {
          peer.write(signed);
          return signed;
        },
      }),
    });
    const client = await connect(server);
    await client.request('run.read', {});
    expect((await client.closed).code).toBe('gateway_unreachable');
  });

  test('a gateway that dies while requests wait', async () => {
    const server = await start({
      answer: (_request, peer) => {
        peer.socket.destroy();
        return undefined;
      },
    });
    const client = await connect(server);
    await expect(client.request('run.read', {})).rejects.toMatchObject({ code: 'gateway_unreachable' });
  });
});

describe('before the gateway has proved itself', () => {
  const impostors: Record<string, NonNullable<HandshakeGatewayOptions['hello']>> = {
    'a proof of another key': (frame) => ({ ...frame, proof_s: Buffer.alloc(32).toString('base64url') }),
    'our own proof sent back': (frame, keys, transcript) => ({
      ...frame,
      proof_s: Buffer.from(transcript).toString('base64url'),
      hs: keys.hs.type,
    }),
    'another ledger': (frame) => ({ ...frame, ledger_id: 'another-ledger' }),
    'another version': (frame) => ({ ...frame, v: 2 }),
    'no proof': ({ proof_s: _proof, ...rest }) => rest,
    'no json object': () => 'hello',
  };

  test.each(Object.entries(impostors))('%s gets no request', async (_name, hello) => {
    const server = await start({ answer: () => ({}), hello });
    await expect(connect(server)).rejects.toMatchObject({ code: 'gateway_unreachable' });
    expect(server.requests).toEqual([]);
    expect(server.failures).toEqual([]);
  });

  test('a refusal is told apart from an absent gateway', async () => {
    const server = await start({
      answer: () => ({}),
      hello: () => ({ error: { code: 'handshake_refused', message: 'no' } }),
    });
    await expect(connect(server)).rejects.toMatchObject({ code: 'handshake_refused' });
    await server.close();
    gateway = undefined;
    await expect(connect(server)).rejects.toMatchObject({
      code: 'gateway_unreachable',
      details: { absent: true },
    });
  });

  test('a refusal after our proof is told as a refusal too', async () => {
    const server = await start({
      answer: () => ({ raw: () => ({ error: { code: 'handshake_refused', message: 'no' } }) }),
    });
    const client = await connect(server);
    await expect(client.request('run.read', {})).rejects.toMatchObject({ code: 'handshake_refused' });
  });

  test('a listener that never answers is given up', async () => {
    const silent = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => silent.listen(join(folder, 's'), resolve));
    const key = new HandshakeGateway({ socketPath: '', answer: () => ({}) }).credential('run', 'run-1');
    const attempt = connectGateway({
      socketPath: join(folder, 's'),
      credential: key,
      clock: Date.now,
      connectTimeoutMs: 50,
    });
    await expect(attempt).rejects.toMatchObject({ code: 'gateway_unreachable', details: undefined });
    await new Promise((resolve) => silent.close(resolve));
  });

  test('a listener that sends a large frame, or more than one, is refused', async () => {
    for (const bytes of [
      Buffer.concat([Buffer.from([0, 0, 255, 255]), Buffer.alloc(70_000)]),
      Buffer.concat([encodeFrame('{}'), encodeFrame('{}')]),
      Buffer.alloc(64),
    ]) {
      const path = join(folder, `s${bytes.length}`);
      const loud = createServer((socket) => {
        socket.on('error', () => socket.destroy());
        socket.resume().write(bytes);
      });
      await new Promise<void>((resolve) => loud.listen(path, resolve));
      const credential = new HandshakeGateway({ socketPath: '', answer: () => ({}) }).credential('run', 'r');
      const attempt = connectGateway({ socketPath: path, credential, clock: Date.now });
      await expect(attempt).rejects.toMatchObject({ code: 'gateway_unreachable' });
      await new Promise((resolve) => loud.close(resolve));
    }
  });

  test('a path that the system would cut is refused', async () => {
    const credential = new HandshakeGateway({ socketPath: '', answer: () => ({}) }).credential('run', 'r');
    const socketPath = `/tmp/${'p'.repeat(100)}`;
    await expect(connectGateway({ socketPath, credential, clock: Date.now })).rejects.toMatchObject({
      code: 'path_too_long',
    });
  });
});

test('an answer keeps the fields that the contract names and nothing else', async () => {
  const server = await start({
    answer: () => ({ data: [1], raw: (signed) => ({ ...signed, extra: true }) }),
  });
  const client = await connect(server);
  const answer: ActionResponse = await client.request('run.read', {});
  expect(Object.keys(answer).toSorted()).toEqual([
    'auditRef',
    'data',
    'requestId',
    'signature',
    'status',
    'timestamp',
  ]);
});
