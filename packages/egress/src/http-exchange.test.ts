import { SublError } from '@subluminal/core-types';
import { execFileSync } from 'node:child_process';
import { type Server, type Socket, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { parseDestination } from './destination.js';
import { Dialer } from './dial.js';
import { type HttpLimits, type HttpRequest, exchange } from './http-exchange.js';
import { type CheckedDestination, checkAddresses } from './resolve.js';

const GET: HttpRequest = { method: 'GET', target: '/', headers: {}, body: undefined };
const LIMITS: HttpLimits = { timeoutMs: 4_000, maxResponseBytes: 1_000 };
const never = new AbortController().signal;

/** A server that answers with bytes, so that it can say what no HTTP library would. */
interface RawServer {
  readonly port: number;
  readonly received: string[];
  readonly sockets: Socket[];
}

const open: { server: Server; sockets: Socket[] }[] = [];

async function rawServer(answer: (socket: Socket, request: string) => void): Promise<RawServer> {
  const received: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
    let text = '';
    let answered = false;
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      received[sockets.indexOf(socket)] = text;
      if (answered || !text.includes('\r\n\r\n')) return;
      answered = true;
      answer(socket, text);
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  open.push({ server, sockets });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, received, sockets };
}

/** Answers every request with that text. */
function saying(text: string): Promise<RawServer> {
  return rawServer((socket) => socket.write(text, 'latin1'));
}

afterEach(() => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

function at(server: RawServer, addresses: readonly string[] = ['127.0.0.1']): CheckedDestination {
  return checkAddresses(parseDestination(`http://service.test:${server.port}/`), addresses, true);
}

function ask(server: RawServer, request: Partial<HttpRequest> = {}, limits: Partial<HttpLimits> = {}) {
  return exchange(new Dialer(), at(server), { ...GET, ...request }, { ...LIMITS, ...limits }, never);
}

async function closed(server: RawServer): Promise<void> {
  const [socket] = server.sockets;
  if (socket === undefined) throw new Error('nobody connected');
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
}

const OK = 'HTTP/1.1 200 OK\r\n';

describe('exchange', () => {
  it('sends the request line, the host of the URL and the headers it was given', async () => {
    const server = await saying(`${OK}Content-Length: 2\r\n\r\nhi`);
    const response = await ask(server, {
      method: 'POST',
      target: '/a?b=c',
      headers: { 'x-one': '1' },
      body: Buffer.from('body'),
    });
    expect(response.status).toBe(200);
    expect(Buffer.from(response.body).toString()).toBe('hi');
    const [head, body] = (server.received[0] ?? '').split('\r\n\r\n');
    const lines = (head ?? '').split('\r\n');
    expect(lines[0]).toBe('POST /a?b=c HTTP/1.1');
    expect(
      lines
        .slice(1)
        .map((line) => line.toLowerCase())
        .toSorted(),
    ).toEqual(['connection: close', 'content-length: 4', `host: service.test:${server.port}`, 'x-one: 1']);
    expect(body).toBe('body');
  });

  it('reads chunked bodies, and keeps every value of a repeated header', async () => {
    const server = await saying(
      `${OK}Set-Cookie: a=1\r\nset-cookie: b=2\r\nVary: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n`,
    );
    const response = await ask(server);
    expect(Buffer.from(response.body).toString()).toBe('abc');
    expect(response.headers.get('set-cookie')).toEqual(['a=1', 'b=2']);
    expect(response.headers.get('vary')).toEqual(['x']);
  });

  it('keeps headers with the names of object members apart from them', async () => {
    const server = await saying(`${OK}__proto__: x\r\nconstructor: y\r\nContent-Length: 0\r\n\r\n`);
    const { headers } = await ask(server);
    expect(headers.get('__proto__')).toEqual(['x']);
    expect(headers.get('constructor')).toEqual(['y']);
  });

  it('opens a new connection for every exchange and closes it afterwards', async () => {
    const server = await saying(`${OK}Content-Length: 0\r\n\r\n`);
    const dialer = new Dialer();
    await exchange(dialer, at(server), GET, LIMITS, never);
    await exchange(dialer, at(server), GET, LIMITS, never);
    expect(server.sockets).toHaveLength(2);
    await closed(server);
  });

  it('dials the judged address, not what the name resolves to', async () => {
    const server = await saying(`${OK}Content-Length: 0\r\n\r\n`);
    expect((await ask(server)).status).toBe(200);
    expect(server.received[0]).toContain(`service.test:${server.port}`);
  });

  it('tries the addresses in their order', async () => {
    const server = await saying(`${OK}Content-Length: 0\r\n\r\n`);
    const checked = at(server, ['127.0.0.77', '127.0.0.1']);
    expect((await exchange(new Dialer(), checked, GET, LIMITS, never)).status).toBe(200);
  });

  it('names the origin and the code when nobody listens', async () => {
    const server = await saying('');
    const checked = at(server, ['127.0.0.77', '127.0.0.78']);
    await expect(exchange(new Dialer(), checked, GET, LIMITS, never)).rejects.toMatchObject({
      code: 'adapter_failed',
      message: `could not connect to \`http://service.test:${server.port}\` (ECONNREFUSED)`,
    });
  });

  it('heeds no proxy of the environment', async () => {
    const proxy = await saying(`${OK}Content-Length: 5\r\n\r\nproxy`);
    const server = await saying(`${OK}Content-Length: 6\r\n\r\ndirect`);
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
    try {
      expect(Buffer.from((await ask(server)).body).toString()).toBe('direct');
    } finally {
      for (const name of names) delete process.env[name];
    }
    expect(proxy.sockets).toHaveLength(0);
  });
});

describe('an answer that is too large', () => {
  it('is accepted at the limit', async () => {
    const server = await saying(`${OK}Content-Length: 1000\r\n\r\n${'x'.repeat(1000)}`);
    expect((await ask(server)).body.byteLength).toBe(1000);
  });

  it('is refused one byte over the limit', async () => {
    const server = await saying(`${OK}Content-Length: 1001\r\n\r\n${'x'.repeat(1001)}`);
    await expect(ask(server)).rejects.toMatchObject({
      code: 'response_too_large',
      message: `the answer of \`http://service.test:${server.port}\` has more than 1000 bytes`,
    });
  });

  it('is refused while it comes, and the socket is destroyed', async () => {
    const server = await rawServer((socket) => {
      socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n`);
      const more = (): void => {
        while (!socket.destroyed && socket.write('10\r\n0123456789abcdef\r\n'));
      };
      socket.on('drain', more);
      more();
    });
    await expect(ask(server)).rejects.toMatchObject({ code: 'response_too_large' });
    await closed(server);
  });

  it('is refused when it has no length and never ends', async () => {
    const server = await rawServer((socket) => {
      socket.write(`${OK}\r\n`);
      const more = (): void => {
        while (!socket.destroyed && socket.write('x'.repeat(1024)));
      };
      socket.on('drain', more);
      more();
    });
    await expect(ask(server)).rejects.toMatchObject({ code: 'response_too_large' });
    await closed(server);
  });

  it('is refused for the size of its headers', async () => {
    const server = await saying(`${OK}X-Big: ${'x'.repeat(40_000)}\r\n\r\n`);
    await expect(ask(server)).rejects.toMatchObject({ code: 'response_too_large' });
    await closed(server);
  });

  it('may have 32 KiB of headers', async () => {
    const server = await saying(`${OK}X-Big: ${'x'.repeat(30_000)}\r\nContent-Length: 0\r\n\r\n`);
    expect((await ask(server)).headers.get('x-big')?.[0]).toHaveLength(30_000);
  });

  it('is refused for the number of its headers', async () => {
    const headers = Array.from({ length: 257 }, (_, index) => `x-${index}: 1\r\n`).join('');
    const server = await saying(`${OK}${headers}\r\n`);
    await expect(ask(server)).rejects.toMatchObject({ code: 'response_too_large' });
  });

  it('is refused for the size of its trailers', async () => {
    const server = await saying(
      `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\nX-Big: ${'x'.repeat(40_000)}\r\n\r\n`,
    );
    await expect(ask(server)).rejects.toMatchObject({ code: 'response_too_large' });
  });

  it('does not unpack a compressed bomb: the bytes stay as they came', async () => {
    const bomb = execFileSync('gzip', ['-c'], { input: Buffer.alloc(500_000) });
    expect(bomb.byteLength).toBeLessThan(1_000);
    const server = await rawServer((socket) => {
      socket.write(`${OK}Content-Encoding: gzip\r\nContent-Length: ${bomb.byteLength}\r\n\r\n`);
      socket.write(bomb);
    });
    expect(Buffer.from((await ask(server)).body)).toEqual(bomb);
  });
});

describe('an answer that takes too long', () => {
  const slow = { timeoutMs: 150 };

  it('is given up when the headers do not come', async () => {
    const server = await rawServer(() => {});
    await expect(ask(server, {}, slow)).rejects.toMatchObject({
      code: 'timed_out',
      message: `\`http://service.test:${server.port}\` did not answer completely within 150 ms`,
    });
    await closed(server);
  });

  it('is given up when the headers come byte by byte', async () => {
    const server = await rawServer((socket) => {
      const timer = setInterval(() => socket.write('x'), 5);
      socket.write(`${OK}X-Slow: `);
      socket.on('close', () => clearInterval(timer));
    });
    await expect(ask(server, {}, slow)).rejects.toMatchObject({ code: 'timed_out' });
    await closed(server);
  });

  it('is given up when the body comes byte by byte', async () => {
    const server = await rawServer((socket) => {
      const timer = setInterval(() => socket.write('x'), 5);
      socket.write(`${OK}Content-Length: 900\r\n\r\n`);
      socket.on('close', () => clearInterval(timer));
    });
    await expect(ask(server, {}, slow)).rejects.toMatchObject({ code: 'timed_out' });
    await closed(server);
  });

  it('is given up when interim answers never end', async () => {
    const server = await rawServer((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'), 5);
      socket.on('close', () => clearInterval(timer));
    });
    await expect(ask(server, {}, slow)).rejects.toMatchObject({ code: 'timed_out' });
    await closed(server);
  });

  it('ends when the caller gives up, with the reason of the caller', async () => {
    const caller = new AbortController();
    const server = await rawServer(() =>
      caller.abort(new SublError('shutting_down', 'the gateway is stopping')),
    );
    await expect(exchange(new Dialer(), at(server), GET, LIMITS, caller.signal)).rejects.toMatchObject({
      code: 'shutting_down',
    });
    await closed(server);
  });

  it('does not begin when the caller gave up before', async () => {
    const server = await saying(`${OK}Content-Length: 0\r\n\r\n`);
    const gone = AbortSignal.abort(new SublError('shutting_down', 'the gateway is stopping'));
    await expect(exchange(new Dialer(), at(server), GET, LIMITS, gone)).rejects.toMatchObject({
      code: 'shutting_down',
    });
    expect(server.received).toEqual([]);
  });
});

describe('an answer that is not HTTP', () => {
  it.each([
    ['two lengths', `${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    ['a length and chunks', `${OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a broken chunk size', `${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n`],
    ['a header name with a space', `${OK}Bad Name: x\r\n\r\n`],
    ['a bare carriage return in a header', `${OK}X: a\rb\r\n\r\n`],
    ['a zero byte in a header', `${OK}X: a\0b\r\n\r\n`],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    [
      'an upgrade that nobody asked for',
      'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    ],
    ['a status that is none', 'HTTP/1.1 99999 No\r\n\r\n'],
  ])('is refused: %s', async (_what, text) => {
    const server = await saying(text);
    await expect(ask(server)).rejects.toMatchObject({ code: 'adapter_failed' });
    await closed(server);
  });

  it.each([
    ['before it answers', ''],
    ['within the headers', `${OK}Content-Le`],
    ['within the body', `${OK}Content-Length: 10\r\n\r\nabc`],
    ['within a chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nab`],
  ])('is refused, and not asked for again, when the server closes %s', async (_when, text) => {
    const server = await rawServer((socket) => socket.end(text, 'latin1'));
    await expect(ask(server)).rejects.toMatchObject({ code: 'adapter_failed' });
    expect(server.sockets).toHaveLength(1);
  });

  it('does not take a second answer for one of its own', async () => {
    const one = `${OK}Content-Length: 1\r\n\r\n`;
    const server = await saying(`${one}a${one}b`);
    expect(Buffer.from((await ask(server)).body).toString()).toBe('a');
    await closed(server);
  });
});
