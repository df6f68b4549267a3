import { encodeFrame } from '@subluminal/core-types';
import { readCredential } from '@subluminal/ipc';
import { describe, expect, it } from 'vitest';
import { dataOf, start, toolCall, toolEnd } from './harness.js';
import { hello, RawPeer, signedPeer } from './raw-peer.js';

describe('peers that have shown no key', () => {
  it('are dropped when they say nothing, or only half of what they must', async () => {
    const world = await start({ limits: { handshakeDeadlineMs: 50 } });
    const silent = new RawPeer(world.paths.socket);
    const half = new RawPeer(world.paths.socket);
    half.send(hello(readCredential(world.paths.operatorKey)));
    expect(Object.keys((await half.next()) ?? {})).toContain('proof_s');
    for (const peer of [silent, half]) {
      expect(await peer.next()).toMatchObject({ error: { code: 'handshake_refused' } });
      await peer.closed();
    }
  });

  it('are dropped for a frame of more than 4 KiB, before its body has come', async () => {
    const world = await start();
    const peer = new RawPeer(world.paths.socket);
    const header = Buffer.alloc(4);
    header.writeUInt32BE(4097);
    peer.socket.write(header);
    expect(await peer.next()).toMatchObject({ error: { code: 'handshake_refused' } });
    await peer.closed();
  });

  it('take no place of those who have or will: beyond the limit the one that waits longest is dropped', async () => {
    const world = await start({ limits: { maxUnauthenticated: 2, handshakeDeadlineMs: 60_000 } });
    const client = await world.operator();
    const waiting = Array.from({ length: 20 }, () => new RawPeer(world.paths.socket));
    await Promise.all(waiting.slice(0, 18).map((peer) => peer.closed()));
    expect(waiting.slice(18).map((peer) => peer.socket.destroyed)).toEqual([false, false]);
    const second = await world.operator();
    expect((await second.request('gateway.status', {})).status).toBe('success');
    expect((await client.request('gateway.status', {})).status).toBe('success');
    await waiting[18]?.closed();
    expect(waiting[19]?.socket.destroyed).toBe(false);
  });

  it('leave at most one entry a second however much garbage they send, while runs are served', async () => {
    const world = await start();
    const run = await world.run();
    const started = Date.now();
    let garbage = 0;
    const flooding = new AbortController();
    const flood = (async () => {
      while (!flooding.signal.aborted) {
        const peer = new RawPeer(world.paths.socket);
        peer.socket.write(Buffer.from('GET / HTTP/1.1\r\n\r\n'));
        await peer.closed();
        garbage += 1;
      }
    })();
    for (let index = 0; index < 150; index += 1) {
      const call = toolCall();
      expect((await run.client.request('tool.call.begin', call)).status).toBe('success');
      expect((await run.client.request('tool.call.end', toolEnd(call.call_id))).status).toBe('success');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    flooding.abort();
    await flood;
    await world.gateway.stop('test');
    const entries = world.rows('peers_refused');
    expect(garbage).toBeGreaterThan(50);
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.length).toBeLessThanOrEqual(Math.ceil((Date.now() - started) / 1000) + 1);
    expect(entries.every((row) => row.runId === null)).toBe(true);
    expect(world.rows('tool_call_end')).toHaveLength(150);
  });
});

describe('peers that have shown a key', () => {
  it('are dropped when they stall inside a frame, and nobody else is', async () => {
    const world = await start({ limits: { stallDeadlineMs: 80 } });
    const { peer } = await signedPeer(world.paths.socket, readCredential(world.paths.operatorKey));
    const idle = await world.operator();
    peer.socket.write(encodeFrame('{"id":"half"}').subarray(0, 9));
    await peer.closed();
    expect((await idle.request('gateway.status', {})).status).toBe('success');
  });

  it('are dropped when they do not read their answers', async () => {
    const world = await start({ limits: { stallDeadlineMs: 100, maxOutgoingBytes: 300_000 } });
    const signed = await signedPeer(world.paths.socket, readCredential(world.paths.operatorKey));
    signed.peer.socket.pause();
    for (let index = 0; index < 3000 && !signed.peer.socket.destroyed; index += 1) {
      void signed.ask({ action: 'gateway.status' });
      if (index % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const operator = await world.operator();
    let connections = Infinity;
    while (connections > 1) {
      connections = Number(dataOf(await operator.request('gateway.status', {}))['connections']);
    }
    expect(connections).toBe(1);
  });

  it('get an error for a frame over the limit, and lose their connection', async () => {
    const world = await start({ limits: { maxFrameBytes: 65_536 } });
    const { peer } = await signedPeer(world.paths.socket, readCredential(world.paths.operatorKey));
    const header = Buffer.alloc(4);
    header.writeUInt32BE(65_537);
    peer.socket.write(header);
    expect(await peer.next()).toMatchObject({ status: 'error', error: { code: 'frame_too_large' } });
    await peer.closed();
  });

  it('get an error for a frame of more values than a frame may hold, and lose their connection', async () => {
    const world = await start();
    const { peer } = await signedPeer(world.paths.socket, readCredential(world.paths.operatorKey));
    peer.socket.write(encodeFrame(`{"id":"request-1","payload":{"a":[${'[],'.repeat(400_000)}[]]}}`));
    expect(await peer.next()).toMatchObject({
      status: 'error',
      error: { code: 'invalid_request', message: 'the request has more values than a frame may hold' },
    });
    await peer.closed();
  });

  it('are all answered when they ask for more at once than is worked on', async () => {
    const world = await start({ limits: { maxInFlight: 4 } });
    const run = await world.run();
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => run.client.request('tool.call.begin', toolCall())),
    );
    expect(answers.every((answer) => answer.status === 'success')).toBe(true);
    expect(new Set(answers.map((answer) => dataOf(answer)['seq'])).size).toBe(60);
  });

  it('have their rejections counted once there are too many to record one by one', async () => {
    const world = await start();
    const run = await world.run();
    for (let index = 0; index < 100; index += 1) await run.client.request('gateway.stop', {});
    await world.gateway.stop('test');
    const single = world.rows('action_rejected').length;
    const dropped = world.rows('rejections_dropped').reduce((sum, row) => sum + Number(row.data['count']), 0);
    expect(single + dropped).toBe(100);
    expect(single).toBeLessThan(100);
  });
});

describe('the memory of the gateway', () => {
  it('is not taken by one run: while its large requests are worked on, another run is served', async () => {
    const gate: (() => void)[] = [];
    const world = await start({
      config: '[anomaly]\nburst = "flag"\nnew_domain = "flag"\nlarge_payload = "flag"\n',
      limits: {
        maxBytesInFlight: 3_000_000,
        maxRunBytes: 1_000_000,
        operatorReserveBytes: 500_000,
        stallDeadlineMs: 60_000,
      },
      adapters: {
        'email.send': {
          prepare: () => ({
            destination: undefined,
            accountName: undefined,
            execute: async () => {
              await new Promise<void>((resolve) => gate.push(resolve));
              return { kind: 'success', data: {} };
            },
          }),
        },
      },
    });
    const [greedy, other] = [await world.run(), await world.run()];
    const mail = { to: ['a@example.com'], subject: 's', body: 'x'.repeat(300_000) };
    const asked = Array.from({ length: 12 }, () => greedy.client.request('email.send', mail));
    while (gate.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const answer = await other.client.request(
      'tool.call.begin',
      toolCall({ args: { text: 'y'.repeat(200_000) } }),
    );
    expect(answer.status).toBe('success');
    expect(gate.length).toBeLessThan(4);
    const answered = new AbortController();
    const all = Promise.all(asked).then(() => answered.abort());
    while (!answered.signal.aborted) {
      gate.shift()?.();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await all;
    expect(world.rows('action_result').filter((row) => row.runId === greedy.id)).toHaveLength(12);
  });
});
