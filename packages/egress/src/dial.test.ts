import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type Socket, createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TLSSocket, createServer as createTlsServer } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseDestination } from './destination.js';
import { Dialer } from './dial.js';
import { exchange } from './http-exchange.js';
import { type CheckedDestination, checkAddresses } from './resolve.js';

const never = new AbortController().signal;

/** An authority of our own with three certificates; made by openssl, as an operator would. */
class Authority {
  readonly folder = mkdtempSync(join(tmpdir(), 'sub-ca-'));

  constructor() {
    this.#openssl(
      'req',
      '-x509',
      ...NEW_KEY,
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-days',
      '2',
      '-subj',
      '/CN=test ca',
    );
    this.#issue('good', 'DNS:service.test,IP:127.0.0.1', '2');
    this.#issue('other', 'DNS:other.test', '2');
    this.#issue('expired', 'DNS:service.test', '-1');
    this.#openssl(
      'req',
      '-x509',
      ...NEW_KEY,
      '-keyout',
      'self.key',
      '-out',
      'self.pem',
      '-days',
      '2',
      '-subj',
      '/CN=service.test',
      '-addext',
      'subjectAltName=DNS:service.test',
    );
  }

  get ca(): string {
    return this.read('ca.pem');
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  #issue(name: string, san: string, days: string): void {
    writeFileSync(join(this.folder, `${name}.ext`), `subjectAltName=${san}\n`);
    this.#openssl(
      'req',
      '-new',
      ...NEW_KEY,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      `/CN=${name}`,
    );
    this.#openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-days',
      days,
      '-extfile',
      `${name}.ext`,
      '-out',
      `${name}.pem`,
    );
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { cwd: this.folder, stdio: 'pipe' });
  }
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

interface Listening {
  readonly port: number;
  readonly sockets: Socket[];
}

const open: { server: Server; sockets: Socket[] }[] = [];

async function listen(server: Server, event: string): Promise<Listening> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
  });
  server.on(event, (socket: Socket) => socket.on('error', () => socket.destroy()));
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  open.push({ server, sockets });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, sockets };
}

let authority: Authority;
beforeAll(() => {
  authority = new Authority();
});
afterAll(() => rmSync(authority.folder, { recursive: true }));
afterEach(() => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

/** Answers 200 with the server name of the handshake as the body. */
function tlsServer(name: string): Promise<Listening> {
  const key = authority.read(`${name}.key`);
  const cert = authority.read(`${name}.pem`);
  const server = createTlsServer({ key, cert }, (socket: TLSSocket) => {
    socket.once('data', () => {
      const body = String(socket.servername);
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    });
  });
  server.on('tlsClientError', () => undefined);
  return listen(server, 'secureConnection');
}

function to(
  server: Listening,
  host = 'service.test',
  addresses: readonly string[] = ['127.0.0.1'],
): CheckedDestination {
  return checkAddresses(parseDestination(`https://${host}:${server.port}/`), addresses, true);
}

async function get(dialer: Dialer, checked: CheckedDestination): Promise<string> {
  const request = { method: 'GET', target: '/', headers: {}, body: undefined } as const;
  const limits = { timeoutMs: 4_000, maxResponseBytes: 1_000 };
  const response = await exchange(dialer, checked, request, limits, never);
  return Buffer.from(response.body).toString();
}

function trusting(): Dialer {
  return new Dialer({ extraCas: [authority.ca] });
}

describe('a secure connection', () => {
  it('names the host in the handshake and is verified against it', async () => {
    expect(await get(trusting(), to(await tlsServer('good')))).toBe('service.test');
  });

  it('is verified against the address where the host is one, without a server name', async () => {
    expect(await get(trusting(), to(await tlsServer('good'), '127.0.0.1'))).toBe('false');
  });

  it('is refused when the authority is not known', async () => {
    const server = await tlsServer('good');
    await expect(get(new Dialer(), to(server))).rejects.toMatchObject({
      code: 'adapter_failed',
      message: `no secure connection to \`https://service.test:${server.port}\` (UNABLE_TO_VERIFY_LEAF_SIGNATURE)`,
    });
  });

  it.each([
    ['is for another host', 'other', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['is signed by itself', 'self', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['has expired', 'expired', 'CERT_HAS_EXPIRED'],
  ])('is refused when the certificate %s', async (_what, name, code) => {
    const server = await tlsServer(name);
    await expect(get(trusting(), to(server))).rejects.toMatchObject({
      code: 'adapter_failed',
      message: `no secure connection to \`https://service.test:${server.port}\` (${code})`,
    });
  });

  it('is refused even where NODE_TLS_REJECT_UNAUTHORIZED says otherwise', async () => {
    const server = await tlsServer('self');
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      await expect(get(new Dialer(), to(server))).rejects.toMatchObject({ code: 'adapter_failed' });
      await expect(get(trusting(), to(await tlsServer('other')))).rejects.toMatchObject({
        code: 'adapter_failed',
      });
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
  });

  it('is final when the certificate does not verify: the next address is not tried', async () => {
    const server = await tlsServer('self');
    await expect(
      get(trusting(), to(server, 'service.test', ['127.0.0.1', '127.0.0.1'])),
    ).rejects.toMatchObject({
      code: 'adapter_failed',
    });
    expect(server.sockets).toHaveLength(1);
  });

  it('is refused when the peer does not speak TLS', async () => {
    const server = await listen(
      createTcpServer((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')),
      'connection',
    );
    await expect(get(trusting(), to(server))).rejects.toMatchObject({ code: 'adapter_failed' });
  });

  it('is given up when the handshake stalls, and the socket is destroyed', async () => {
    const server = await listen(
      createTcpServer((socket) => socket.resume()),
      'connection',
    );
    const request = { method: 'GET', target: '/', headers: {}, body: undefined } as const;
    const limits = { timeoutMs: 150, maxResponseBytes: 1_000 };
    await expect(exchange(trusting(), to(server), request, limits, never)).rejects.toMatchObject({
      code: 'timed_out',
    });
    const [socket] = server.sockets;
    expect(socket).toBeDefined();
    if (socket?.closed === false) await new Promise((resolve) => socket.once('close', resolve));
  });

  it('is given up when the body stalls', async () => {
    const key = authority.read('good.key');
    const cert = authority.read('good.pem');
    const endless = createTlsServer({ key, cert }, (socket) => {
      socket.resume().write('HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n');
    });
    const server = await listen(endless, 'secureConnection');
    const request = { method: 'GET', target: '/', headers: {}, body: undefined } as const;
    const limits = { timeoutMs: 150, maxResponseBytes: 1_000 };
    await expect(exchange(trusting(), to(server), request, limits, never)).rejects.toMatchObject({
      code: 'timed_out',
    });
    const [socket] = server.sockets;
    if (socket?.closed === false) await new Promise((resolve) => socket.once('close', resolve));
    expect(socket?.destroyed).toBe(true);
  });
});

describe('a plain connection', () => {
  it('reaches the judged address', async () => {
    const server = await listen(createTcpServer(), 'connection');
    const checked = checkAddresses(
      parseDestination(`http://service.test:${server.port}/`),
      ['127.0.0.1'],
      true,
    );
    const socket = await new Dialer().connect(checked, 4_000, never);
    expect(socket.remoteAddress).toBe('127.0.0.1');
    expect(socket.remotePort).toBe(server.port);
    socket.destroy();
  });

  it('has nothing of its dial with it once it is closed', async () => {
    const server = await listen(createTcpServer(), 'connection');
    const url = parseDestination(`http://service.test:${server.port}/`);
    const closed = async (): Promise<Socket> => {
      const socket = await new Dialer().connect(checkAddresses(url, ['127.0.0.1'], true), 4_000, never);
      socket.destroy();
      await once(socket, 'close');
      return socket;
    };
    const [one, other] = [await closed(), await closed()];
    // Both have the same listener, which knows neither of them.
    for (const event of one.eventNames()) expect(one.listeners(event)).toEqual(other.listeners(event));
  });

  it('resolves no name, not even one that slipped past the check', async () => {
    const destination = parseDestination('http://service.test/');
    const forged: CheckedDestination = { ...destination, addresses: ['localhost'], allowPrivate: true };
    await expect(new Dialer().connect(forged, 4_000, never)).rejects.toMatchObject({
      code: 'address_refused',
    });
  });

  it('is refused when the peer has another address than the one that was judged', async () => {
    const server = await listen(createTcpServer(), 'connection');
    // Linux and macOS connect 0.0.0.0 to the loopback address.
    const forged: CheckedDestination = {
      ...parseDestination(`http://service.test:${server.port}/`),
      addresses: ['0.0.0.0'],
      allowPrivate: true,
    };
    await expect(new Dialer().connect(forged, 4_000, never)).rejects.toMatchObject({
      code: 'address_refused',
      message: `the connection to \`http://service.test:${server.port}\` reached another address`,
    });
  });

  it('needs an address', async () => {
    const forged: CheckedDestination = {
      ...parseDestination('http://service.test/'),
      addresses: [],
      allowPrivate: true,
    };
    await expect(new Dialer().connect(forged, 4_000, never)).rejects.toMatchObject({
      code: 'adapter_failed',
    });
  });
});

describe('a request that was given up before it is dialled', () => {
  it('opens no connection', async () => {
    let connections = 0;
    const server = createTcpServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const checked = checkAddresses(parseDestination(`http://127.0.0.1:${port}/`), ['127.0.0.1'], true);
    const given = new AbortController();
    given.abort(new Error('the run has ended'));
    await expect(new Dialer().connect(checked, 1000, given.signal)).rejects.toThrow('the run has ended');
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
    expect(connections).toBe(0);
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
});
