import { connect as connectH2 } from 'node:http2';
import { proxyRunToken } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { between, Gate } from '../gateway/between.js';
import { ECH, helloFor } from './hello.js';
import { ALLOWED, http, https, Peer, proxyWorld, secure, tcp, tunnel, type ProxyWorld } from './world.js';

/** How each connection ended, in the order of the ends. */
function ends(world: ProxyWorld): unknown[] {
  return world
    .news()
    .filter(({ tool, type }) => tool === 'net.connect' && type === 'action_result')
    .map(({ data }) => {
      const error = data['error'] as { code: string } | undefined;
      return [data['outcome'], error?.code ?? null, data['bytes_up'], data['bytes_down']];
    });
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function poll(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1000 && !isSo(); tries += 1) await wait(5);
  expect(isSo()).toBe(true);
}

/** Bytes that are the beginning of no protocol. */
function plain(count: number): Buffer {
  return Buffer.alloc(count, 0xfe);
}

describe('a tunnel', () => {
  it('carries TLS of HTTP/1.1 and HTTP/2, and what it carried is in the record', async () => {
    const world = await proxyWorld();
    const port = await https(world.authority, (_request, response) => void response.end('hello'));
    const socket = await secure(await tunnel(world, `${ALLOWED}:${port}`), world.authority.ca, ALLOWED);
    socket.write(`GET / HTTP/1.1\r\nHost: ${ALLOWED}\r\nConnection: close\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text).toContain('hello');
    const peer = await tunnel(world, `${ALLOWED.toUpperCase()}.:${port}`);
    const second = await secure(peer, world.authority.ca, ALLOWED, ['h2']);
    const session = connectH2(`https://${ALLOWED}`, { createConnection: () => second });
    const stream = session.request({ ':path': '/' });
    let body = '';
    for await (const chunk of stream) body += String(chunk);
    session.close();
    expect(body).toBe('hello');
    await world.settled();
    const rows = world.news().filter(({ type }) => type === 'action_result');
    expect(rows.map(({ data }) => [data['outcome'], data['sni'], data['address']])).toEqual([
      ['closed', ALLOWED, '127.0.0.1'],
      ['closed', ALLOWED, '127.0.0.1'],
    ]);
    for (const { data } of rows) expect(Number(data['bytes_up'])).toBeGreaterThan(200);
  });

  it('to a name says in the record that a part of its handshake was hidden (ECH)', async () => {
    const world = await proxyWorld({ config: 'mode = "observe"' });
    const upstream = await tcp();
    for (const extensions of [[[ECH, Buffer.alloc(40)] as const], []]) {
      const hello = helloFor(ALLOWED, { extensions });
      const peer = await tunnel(world, `${ALLOWED}:${upstream.port}`);
      const before = upstream.bytes();
      peer.send(hello);
      await poll(() => upstream.bytes() === before + hello.length);
      peer.socket.end();
      await peer.over();
    }
    await world.settled();
    const rows = world.news().filter(({ type }) => type === 'action_result');
    expect(rows.map(({ data }) => [data['sni'], data['ech']])).toEqual([
      [ALLOWED, true],
      [ALLOWED, undefined],
    ]);
  });

  it('lets either side end what it says and listen on, and breaks off where one does', async () => {
    const world = await proxyWorld({ allowed: [] });
    await world.allow(ALLOWED, { protocol: 'tcp' });
    const upstream = await tcp((socket) => {
      socket.write('banner\n');
      socket.on('end', () => setTimeout(() => socket.end('after'), 20));
    }, false);
    const target = `${ALLOWED}:${upstream.port}`;
    const peer = await tunnel(world, target);
    await peer.until((text) => text.includes('banner'));
    peer.send('hi').socket.end();
    expect(await peer.over()).toMatch(/banner\nafter$/);
    expect(upstream.got).toEqual(['hi']);
    await world.settled();
    expect(ends(world)).toEqual([['closed', null, 2, 12]]);

    const broken = await tunnel(world, target);
    await broken.until((text) => text.includes('banner'));
    broken.socket.resetAndDestroy();
    await world.settled();
    expect(ends(world)).toEqual([['closed', null, 0, 7]]);

    const resets = await tcp((socket) => void socket.on('data', () => socket.resetAndDestroy()));
    const reset = await tunnel(world, `${ALLOWED}:${resets.port}`);
    reset.send('x');
    await reset.over();
    await world.settled();
    expect(ends(world)).toEqual([['failed', 'adapter_failed', 1, 0]]);
  });

  it('carries no request without TLS that names another host, also where anything passes', async () => {
    const world = await proxyWorld({ config: 'mode = "observe"', allowed: [] });
    const heads: string[] = [];
    const port = await http((incoming, response) => {
      heads.push(`${incoming.headers.host}`);
      response.end('hello');
    });
    const ask = async (host: string): Promise<string> =>
      (await tunnel(world, `${ALLOWED}:${port}`)).send(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`).over();
    expect(await ask('inner.example')).not.toContain('hello');
    expect(heads).toEqual([]);
    expect(await ask(`${ALLOWED}:${port}`)).toContain('hello');
    const upstream = await tcp();
    const other = await tunnel(world, `${ALLOWED}:${upstream.port}`);
    other.send('SSH-2.0-x\r\n').socket.end();
    await other.over();
    expect(upstream.got).toEqual(['SSH-2.0-x\r\n']);
  });

  it('carries a request without TLS as one that is made for the client, where an entry covers such', async () => {
    const world = await proxyWorld();
    await world.allow('secure.example', { protocol: 'https' });
    await world.allow('plain.example', { protocol: 'http' });
    const heads: string[] = [];
    const port = await http((incoming, response) => {
      heads.push(`${incoming.method} ${incoming.url} ${incoming.rawHeaders.join('|')}`);
      incoming.pipe(response);
    });
    const said = async (host: string, ...pieces: (string | Buffer)[]): Promise<string> => {
      const peer = await tunnel(world, `${host}:${port}`);
      for (const piece of pieces) {
        peer.send(piece);
        await wait(5);
      }
      return peer.over();
    };
    const post = `POST /a HTTP/1.1\r\nHost: ${ALLOWED}:${port}\r\nProxy-Authorization: x\r\nContent-Length: 5\r\n\r\n`;
    expect(await said(ALLOWED, 'P', post.slice(1), 'he', 'llo')).toMatch(/ 200 OK[^]*he[^]*llo/);
    expect(await said('plain.example', `GET / HTTP/1.1\r\nHost: plain.example:${port}\r\n\r\n`)).toMatch(
      / 200 OK/,
    );
    const [, problem] = (await said('plain.example', helloFor('plain.example'))).split('\r\n\r\n').slice(1);
    expect(problem).toMatch(/may carry HTTP without TLS, and what came for it is TLS/);
    const refused = await said('secure.example', `GET / HTTP/1.1\r\nHost: secure.example:${port}\r\n\r\n`);
    expect(refused).toMatch(/may carry TLS, and what came for it is HTTP without TLS/);
    expect(heads).toEqual([
      `POST /a Host|${ALLOWED}:${port}|Content-Length|5|Connection|close`,
      `GET / Host|plain.example:${port}|Connection|close`,
    ]);
    await world.settled();
    expect(ends(world).map((end) => (end as unknown[]).slice(0, 2))).toEqual([
      ['closed', null],
      ['closed', null],
      ['refused', 'protocol_refused'],
      ['refused', 'protocol_refused'],
    ]);
  });

  it('judges a second ClientHello too, and passes no byte of it', async () => {
    const world = await proxyWorld();
    const upstream = await tcp();
    const first = helloFor(ALLOWED);
    const peer = await tunnel(world, `${ALLOWED}:${upstream.port}`);
    peer.send(first);
    await poll(() => upstream.bytes() === first.length);
    peer.send(helloFor('evil.example'));
    await peer.over();
    await world.settled();
    expect(upstream.got).toEqual([first.toString('latin1')]);
    expect(ends(world)).toEqual([['refused', 'name_mismatch', first.length, 0]]);
  });

  it('is not waited for: who says nothing is left, and who is silent for long is cut', async () => {
    const world = await proxyWorld({ proxy: { headMs: 300, idleMs: 400 } });
    await world.allow('raw.example', { protocol: 'tcp' });
    const upstream = await tcp();
    const peer = new Peer(world.port);
    peer.send('CONNECT a');
    expect(await peer.over()).toMatch(/^HTTP\/1.1 504 timed_out/);
    const silent = await tunnel(world, `${ALLOWED}:${upstream.port}`);
    await silent.over();
    const idle = await tunnel(world, `raw.example:${upstream.port}`);
    idle.send('x');
    await idle.over();
    await world.settled();
    expect(ends(world)).toEqual([
      ['timed_out', 'timed_out', 0, 0],
      ['timed_out', 'timed_out', 1, 0],
    ]);
  });

  it('is cut when its run ends, when its name is taken off the list, and when the gateway stops', async () => {
    const world = await proxyWorld({ allowed: [] });
    const operator = await world.gateway.operator();
    const id = await world.allow('raw.example', { protocol: 'tcp' });
    await world.allow('kept.example', { protocol: 'tcp' });
    const upstream = await tcp();
    const raw = await tunnel(world, `raw.example:${upstream.port}`);
    const kept = await tunnel(world, `kept.example:${upstream.port}`);
    await operator.request('allow.remove', { id });
    await raw.over();
    kept.send('still');
    await poll(() => upstream.bytes() === 5);
    await poll(() => world.gateway.rows('action_result').some(({ tool }) => tool === 'net.connect'));
    expect(ends(world)).toEqual([['cut', 'not_allowed', 0, 0]]);
    const other = await world.gateway.run();
    const authorization = `Basic ${Buffer.from(`run:${proxyRunToken(other.credential)}`).toString('base64')}`;
    const ended = await tunnel(world, `kept.example:${upstream.port}`, authorization);
    ended.send('four');
    await poll(() => upstream.bytes() === 9);
    await other.client.request('run.end', { status: 'SUCCEEDED' });
    expect(ends(world).at(-1)).toEqual(['cut', 'interrupted', 4, 0]);
    await ended.over();
    kept.send('on');
    await poll(() => upstream.bytes() === 11);
    await world.gateway.restart();
    await kept.over();
    await world.settled();
    expect(ends(world).at(-1)).toEqual(['cut', 'shutting_down', 7, 0]);
  });

  it('leaves nothing behind of a hundred clients that leave while it is decided', async () => {
    let answer: (addresses: readonly string[]) => void = () => undefined;
    const asked = new Promise<readonly string[]>((resolve) => {
      answer = resolve;
    });
    const world = await proxyWorld({ resolver: { resolve: () => asked } });
    const upstream = await tcp();
    const head = `CONNECT ${ALLOWED}:${upstream.port} HTTP/1.1\r\nProxy-Authorization: ${world.authorization}\r\n\r\n`;
    const peers = Array.from({ length: 100 }, () => new Peer(world.port).send(head));
    await wait(300);
    for (const [index, { socket }] of peers.entries()) {
      if (index % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    }
    await wait(50);
    answer(['127.0.0.1']);
    const decided = (): number =>
      world.gateway.rows('action_pending').filter(({ tool }) => tool === 'net.connect').length;
    await poll(() => decided() === 100);
    await world.settled();
    expect(upstream.bytes()).toBe(0);
  });

  it('answers who has too many, goes too fast, or has had too much', async () => {
    const world = await proxyWorld({
      config: 'mode = "enforce"\nmax_run_connections = 2\nmax_run_bytes = 1000\nmax_bytes_per_second = 20000',
      allowed: [],
    });
    await world.allow('raw.example', { protocol: 'tcp' });
    const upstream = await tcp((socket) => void socket.on('data', (chunk) => socket.write(chunk)));
    const target = `raw.example:${upstream.port}`;
    const peers = [await tunnel(world, target), await tunnel(world, target)] as const;
    await expect(tunnel(world, target)).rejects.toThrow('overloaded');
    peers[0].send(plain(300));
    await peers[0].until((text) => text.length > 300);
    peers[1].send(plain(600));
    await peers[1].over();
    peers[0].socket.destroy();
    await world.settled();
    expect(ends(world)).toContainEqual(['budget', 'budget_spent', 0, 0]);
    const last = await tunnel(world, target);
    last.send(plain(150)).send(plain(300));
    await last.over();
    await world.settled();
  });

  it('counts what it has carried once, also while its end is being written', async () => {
    const gate = new Gate();
    const world = await proxyWorld({
      config: 'mode = "enforce"\nmax_run_bytes = 1000',
      allowed: [],
      wrapLedger: between(async (group, next) => {
        if (group.entries[0]?.type === 'action_result' && group.entries[0].tool === 'net.connect')
          await gate.pass();
        return next();
      }),
    });
    await world.allow('raw.example', { protocol: 'tcp' });
    const upstream = await tcp((socket) => void socket.on('data', (chunk) => socket.write(chunk)));
    const target = `raw.example:${upstream.port}`;
    const [first, second] = [await tunnel(world, target), await tunnel(world, target)];
    first.send('x'.repeat(300));
    await first.until((text) => text.endsWith('x'.repeat(300)));
    first.socket.destroy();
    await gate.reached;
    second.send('x'.repeat(150));
    await second.until((text) => text.endsWith('x'.repeat(150)));
    gate.open();
    second.socket.destroy();
    await world.settled();
    expect(ends(world)).toEqual([
      ['closed', null, 300, 300],
      ['closed', null, 150, 150],
    ]);
  });

  it('keeps little of what a slow reader does not take', async () => {
    const world = await proxyWorld({ allowed: [] });
    await world.allow('raw.example', { protocol: 'tcp' });
    const block = Buffer.alloc(1_048_576, 'x');
    let written = 0;
    const upstream = await tcp((socket) => {
      const more = (): void => {
        while (!socket.destroyed && written < 512 * block.length) {
          written += block.length;
          if (!socket.write(block)) break;
        }
      };
      socket.on('drain', more);
      more();
    });
    const peer = await tunnel(world, `raw.example:${upstream.port}`);
    peer.socket.pause();
    let before = -1;
    while (written !== before) {
      before = written;
      await wait(150);
    }
    // What the system's buffers of two connections hold, and a little.
    expect(written).toBeLessThan(64 * block.length);
    peer.socket.destroy();
    await world.settled();
  });
});
