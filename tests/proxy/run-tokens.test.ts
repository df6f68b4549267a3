/**
 * What the proxy remembers of a run is remembered no longer than the run: the token that opened a connection
 * a moment ago opens none once the run, or everything, has been stopped; and nothing is dialled before its
 * entry is durable.
 */
import { openLedgerReader } from '@subluminal/ledger';
import { proxyRunToken } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { ALLOWED, Peer, proxyWorld, tcp, tunnel, type ProxyWorld } from './world.js';

const RAW = 'raw.example';

const basic = (token: string): string => `Basic ${Buffer.from(`run:${token}`).toString('base64')}`;

/** The first line of what the proxy answers to a CONNECT. */
async function asked(world: ProxyWorld, target: string, authorization: string): Promise<string> {
  const peer = new Peer(world.port);
  peer.send(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nProxy-Authorization: ${authorization}\r\n\r\n`);
  const text = await peer.until((come) => come.includes('\r\n'));
  peer.socket.destroy();
  return text.split('\r\n')[0] ?? '';
}

const pendings = (world: ProxyWorld): number =>
  world.gateway.rows('action_pending').filter(({ tool }) => tool === 'net.connect').length;

describe('the token of a run', () => {
  it('opens nothing once its run has ended, however often it opened something before', async () => {
    const world = await proxyWorld({ allowed: [ALLOWED] });
    await world.allow(RAW, { protocol: 'tcp' });
    const { port } = await tcp();
    const other = await world.gateway.run();
    const theirs = basic(proxyRunToken(other.credential));
    for (let n = 0; n < 3; n += 1) (await tunnel(world, `${RAW}:${port}`, theirs)).socket.destroy();
    const ended = other.client.request('run.end', { status: 'SUCCEEDED' });
    // While it ends and when it has ended: the answer never depends on what is remembered.
    const during = await asked(world, `${RAW}:${port}`, theirs);
    await ended;
    const before = pendings(world);
    expect(during).toMatch(/^HTTP\/1\.1 (?:200|403) /);
    expect(await asked(world, `${RAW}:${port}`, theirs)).toBe('HTTP/1.1 403 run_ended');
    expect(pendings(world)).toBe(before);
    (await tunnel(world, `${RAW}:${port}`)).socket.destroy();
    await world.settled();
  });

  it('opens nothing once everything was stopped', async () => {
    const world = await proxyWorld({ allowed: [] });
    await world.allow(RAW, { protocol: 'tcp' });
    const { port } = await tcp();
    (await tunnel(world, `${RAW}:${port}`)).socket.destroy();
    const operator = await world.gateway.operator();
    await operator.request('panic.begin', { reason: 'a test' });
    const before = pendings(world);
    expect(await asked(world, `${RAW}:${port}`, world.authorization)).toBe('HTTP/1.1 403 run_ended');
    expect(pendings(world)).toBe(before);
  });

  it('is not told by one of the same run with another secret, nor by that of another home', async () => {
    const world = await proxyWorld({ allowed: [] });
    await world.allow(RAW, { protocol: 'tcp' });
    const { port } = await tcp();
    (await tunnel(world, `${RAW}:${port}`)).socket.destroy();
    const swapped = `${world.token.slice(0, -8)}${'A'.repeat(8)}`;
    const foreign = world.token.replace(/_[^_]+_/, '_01ARYZ6S410000000000000000_');
    for (const token of [swapped, foreign])
      expect(await asked(world, `${RAW}:${port}`, basic(token))).toMatch(/^HTTP\/1\.1 407 /);
    await world.settled();
  });
});

describe('a connection', () => {
  it('is in the record as pending, under an id of its own and no key, before the server hears of it', async () => {
    const world = await proxyWorld({ allowed: [] });
    await world.allow(RAW, { protocol: 'tcp' });
    const seen: number[] = [];
    // A reader of its own: what it finds was committed.
    const { port } = await tcp(() => {
      const reader = openLedgerReader(world.gateway.paths.ledgerDb);
      const rows = reader.byAction('net.connect', { order: 'asc', limit: 1000 }).rows;
      seen.push(rows.filter(({ type }) => type === 'action_pending').length);
      reader.close();
    });
    const peers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const peer = await tunnel(world, `${RAW}:${port}`);
        peer.send('x');
        return peer;
      }),
    );
    for (const { socket } of peers) socket.destroy();
    await world.settled();
    expect(seen).toHaveLength(20);
    for (const [index, count] of seen.entries()) expect(count).toBeGreaterThan(index);
    const rows = world.gateway.rows('action_pending').filter(({ tool }) => tool === 'net.connect');
    // The gateway's own word: no key has signed it.
    for (const { data } of rows)
      expect(data['req']).toEqual({ id: expect.stringMatching(/^[A-Za-z0-9_-]{8,64}$/) });
    expect(new Set(rows.map(({ data }) => (data as { req: { id: string } }).req.id)).size).toBe(rows.length);
  });

  it('is not dialled before the disk has its entry, and never where the disk does not take it', async () => {
    let release: () => void = () => undefined;
    let isGone = false;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const world = await proxyWorld({
      allowed: [],
      wrapLedger: (ledger) =>
        new Proxy(ledger, {
          get: (target, key) => {
            const value: unknown = Reflect.get(target, key);
            if (key !== 'append') return typeof value === 'function' ? value.bind(target) : value;
            return async (...args: Parameters<typeof ledger.append>) => {
              const begins = args[0].entries.some(
                ({ type, tool }) => type === 'action_pending' && tool === 'net.connect',
              );
              if (begins && isGone) throw new Error('the disk is gone');
              const result = await ledger.append(...args);
              if (begins) await held;
              return result;
            };
          },
        }),
    });
    await world.allow(RAW, { protocol: 'tcp' });
    let connections = 0;
    const { port } = await tcp(() => (connections += 1));
    const opening = tunnel(world, `${RAW}:${port}`);
    while (pendings(world) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(connections).toBe(0);
    release();
    (await opening).socket.destroy();
    expect(connections).toBe(1);
    isGone = true;
    expect(await asked(world, `${RAW}:${port}`, world.authorization)).toMatch(
      /^HTTP\/1\.1 50\d audit_unavailable$/,
    );
    expect(connections).toBe(1);
    await world.settled();
  });
});
