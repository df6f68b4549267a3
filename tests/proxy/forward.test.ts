import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ALLOWED, http, Peer, proxyWorld, tcp, type ProxyWorld } from './world.js';

function request(world: ProxyWorld, port: number, lines = '', method = 'GET', path = '/', body = ''): Peer {
  const host = `${ALLOWED}:${port}`;
  return new Peer(world.port).send(
    `${method} http://${host}${path} HTTP/1.1\r\nHost: ${host}\r\n` +
      `Proxy-Authorization: ${world.authorization}\r\n${lines}\r\n${body}`,
  );
}

describe('a request in absolute form', () => {
  it('is made in the client’s place: nothing of the proxy goes on, nothing leads around it', async () => {
    const world = await proxyWorld();
    const heads: string[] = [];
    const port = await http((incoming, response) => {
      heads.push(`${incoming.method} ${incoming.url} ${incoming.rawHeaders.join('|')}`);
      incoming.resume();
      incoming.on('end', () => {
        response.writeHead(200, { 'alt-svc': 'h3=":443"', 'x-own': '1' });
        response.end('hello');
      });
    });
    const more = 'Proxy-Connection: keep-alive\r\nConnection: X-Gone\r\nX-Gone: 1\r\nUpgrade: h2c\r\n';
    const got = await request(world, port, more, 'GET', '/a?b').over();
    expect(got).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(got).toContain('hello');
    expect(got.toLowerCase()).not.toContain('alt-svc');
    const posted = await request(
      world,
      port,
      'Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n',
      'POST',
      '/',
      '3\r\nabc\r\n0\r\n\r\n',
    ).over();
    expect(posted).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK/);
    expect(heads).toEqual([
      `GET /a?b Host|${ALLOWED}:${port}|Connection|close`,
      `POST / Host|${ALLOWED}:${port}|Transfer-Encoding|chunked|Expect|100-continue|Connection|close`,
    ]);
    await world.settled();
    const results = world.news().filter(({ type }) => type === 'action_result');
    expect(results.map(({ data }) => data['outcome'])).toEqual(['closed', 'closed']);
  });

  it('is one a connection: what follows it goes nowhere', async () => {
    const world = await proxyWorld();
    const upstream = await tcp((socket) => {
      socket.once('data', () =>
        setTimeout(() => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more'), 60),
      );
    });
    const peer = request(world, upstream.port);
    for (let tries = 0; tries < 1000 && upstream.bytes() === 0; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 2));
    peer.send(`GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n`);
    expect(await peer.over()).toMatch(/\r\n\r\nok$/);
    expect(upstream.got).toEqual([
      `GET / HTTP/1.1\r\nHost: ${ALLOWED}:${upstream.port}\r\nConnection: close\r\n\r\n`,
    ]);
  });

  it('leads nowhere by a redirect: where it goes is decided anew', async () => {
    const world = await proxyWorld();
    const evil = await tcp();
    const location = `http://evil.example:${evil.port}/`;
    const port = await http((_incoming, response) => void response.writeHead(302, { location }).end());
    expect(await request(world, port).over()).toContain(`location: ${location}`);
    const host = `evil.example:${evil.port}`;
    const followed = new Peer(world.port).send(
      `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nProxy-Authorization: ${world.authorization}\r\n\r\n`,
    );
    expect(await followed.over()).toMatch(/^HTTP\/1.1 403 not_allowed/);
    expect(evil.got).toEqual([]);
  });

  it('goes on with WebSocket, and with nothing else', async () => {
    const world = await proxyWorld();
    const key = 'dGhlIHNhbXBsZSBub25jZQ==';
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    const upstream = await tcp((socket) => {
      socket.once('data', (head) => {
        const protocol = String(head).includes('/other') ? 'other' : 'websocket';
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${protocol}\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
        );
        socket.on('data', (frame) => socket.write(frame));
      });
    });
    const lines = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n`;
    const peer = request(world, upstream.port, lines);
    const head = await peer.until((text) => text.includes('\r\n\r\n'));
    expect(head).toContain(`Sec-WebSocket-Accept: ${accept}`);
    peer.send(Buffer.from([0x81, 0x82, 1, 2, 3, 4, 105, 107]));
    await peer.until((text) => text.endsWith('ik'));
    peer.socket.destroy();
    const other = await request(world, upstream.port, lines, 'GET', '/other').over();
    expect(other).toMatch(/^HTTP\/1.1 502 adapter_failed/);
    await world.settled();
  });

  it('says what went wrong, for people and for programs', async () => {
    const world = await proxyWorld();
    const [, body = ''] = (await request(world, 1).over()).split('\r\n\r\n');
    expect(JSON.parse(body)).toEqual({
      type: 'about:blank',
      title: 'refused by subluminal',
      status: 502,
      detail: 'could not connect to `tcp://allowed.example:1` (ECONNREFUSED)',
      code: 'adapter_failed',
    });
    const silent = await tcp((socket) => void socket.once('data', () => socket.end()));
    expect(await request(world, silent.port).over()).toContain('ended without an answer');
    const garbage = await tcp((socket) => void socket.once('data', () => socket.end('SSH-2.0-x\r\n\r\n')));
    expect(await request(world, garbage.port).over()).toContain('the answer of the server cannot be carried');
    const host = 'evil.example';
    const [head = '', denied = ''] = (
      await new Peer(world.port)
        .send(`CONNECT ${host}:443 HTTP/1.1\r\nProxy-Authorization: ${world.authorization}\r\n\r\n`)
        .over()
    ).split('\r\n\r\n');
    expect(head.split('\r\n')).toEqual([
      'HTTP/1.1 403 not_allowed',
      'Content-Type: application/problem+json',
      `Content-Length: ${denied.length}`,
      'Proxy-Status: subluminal; error=http_request_denied; details="not_allowed"',
      'Cache-Control: no-store',
      'Connection: close',
    ]);
    expect(JSON.parse(denied)).toEqual({
      type: 'about:blank',
      title: 'refused by subluminal',
      status: 403,
      detail: '`evil.example:443` is not on the allowlist',
      code: 'not_allowed',
      audit_ref: expect.stringMatching(/^[0-9]+\./) as string,
    });
    await world.settled();
  });
});
