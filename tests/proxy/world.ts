import { createServer as createHttp, type RequestListener } from 'node:http';
import { createSecureServer } from 'node:http2';
import { connect, createServer as createTcp, type Server, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { isJsonObject, type ProcessIdentity, proxyRunToken } from '@subluminal/core-types';
import type { GatewayOptions } from '@subluminal/daemon';
import { openLedgerReader, type LedgerRow } from '@subluminal/ledger';
import { after } from '../gateway/cleanups.js';
import { dataOf, runBegin, start, type TestGateway, type TestRun } from '../gateway/harness.js';
import { authority, type Authority } from './authority.js';

/**
 * The names that the resolver of the tests knows, all of this machine, and the one that is on the allowlist.
 */
export const ALLOWED = 'allowed.example';

export interface ProxyWorld {
  readonly gateway: TestGateway;
  readonly authority: Authority;
  /** The port of the proxy. */
  readonly port: number;
  readonly run: TestRun;
  readonly token: string;
  /** What programs are given: `http://run:TOKEN@127.0.0.1:PORT`. */
  readonly url: string;
  readonly authorization: string;
  /** Entries about connections since the last call. */
  readonly news: () => LedgerRow[];
  readonly allow: (host: string, more?: Record<string, unknown>) => Promise<string>;
  /** Waits until nothing is pending. */
  readonly settled: () => Promise<void>;
}

/** A gateway with an open proxy, a run, and `ALLOWED` on the allowlist, at this machine. */
export async function proxyWorld(
  options: Partial<GatewayOptions> & {
    config?: string;
    addresses?: (host: string) => readonly string[];
    allowed?: readonly string[];
    /** Holds the runs; this process where none is named. */
    holder?: ProcessIdentity;
  } = {},
): Promise<ProxyWorld> {
  const {
    config = 'mode = "enforce"',
    addresses = () => ['127.0.0.1'],
    allowed = [ALLOWED],
    holder,
    ...rest
  } = options;
  const own = authority([...new Set([ALLOWED, ...allowed, 'other.example', '127.0.0.1'])]);
  const gateway = await start({
    resolver: { resolve: (host) => Promise.resolve(addresses(host)) },
    ...rest,
    config: `[egress]\n${config}\n`,
  });
  const operator = await gateway.operator();
  const allow = async (host: string, more: Record<string, unknown> = {}): Promise<string> => {
    const added = await operator.request('allow.add', { host, allow_private: true, ...more });
    return (dataOf(added) as unknown as { entry: { id: string } }).entry.id;
  };
  for (const host of allowed) await allow(host);
  const run = await gateway.run(undefined, holder);
  const opened = await operator.request('run.begin', runBegin(holder === undefined ? {} : { holder }));
  const told = dataOf(opened)['proxy'];
  if (told === undefined || told === null || !isJsonObject(told)) throw new Error('there is no proxy');
  const port = Number(told['port']);
  const token = proxyRunToken(run.credential);
  const record = following(gateway);
  return {
    gateway,
    authority: own,
    port,
    run,
    token,
    url: `http://run:${token}@127.0.0.1:${port}`,
    authorization: `Basic ${Buffer.from(`run:${token}`).toString('base64')}`,
    news: () => record.news(),
    allow,
    settled: async () => {
      for (let tries = 0; record.pending() > 0; tries += 1) {
        if (tries > 2000) throw new Error('a connection stays pending');
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
  };
}

/** Reads on in the record what concerns connections. */
function following(gateway: TestGateway): { news: () => LedgerRow[]; pending: () => number } {
  const open = new Set<number>();
  let fresh: LedgerRow[] = [];
  let cursor = 0;
  const read = (): void => {
    const reader = openLedgerReader(gateway.paths.ledgerDb);
    try {
      const rows = reader.byAction('net.connect', { order: 'asc', limit: 1000, cursor }).rows;
      for (const { seq, type, ref } of rows) {
        cursor = seq;
        if (type === 'action_pending') open.add(seq);
        if (type === 'action_result' && ref !== null) open.delete(ref);
      }
      fresh = [...fresh, ...rows];
    } finally {
      reader.close();
    }
  };
  return {
    news: () => {
      read();
      const news = fresh;
      fresh = [];
      return news;
    },
    pending: () => {
      read();
      return open.size;
    },
  };
}

/** A server that counts every byte that reaches it. */
export interface Upstream {
  readonly port: number;
  /** Connections, and what came on them, as latin1. */
  readonly got: string[];
  readonly bytes: () => number;
}

/** A TCP server; `serve` gets every connection. `ends`: it says no more when its client does. */
export async function tcp(serve: (socket: Socket) => void = () => undefined, ends = true): Promise<Upstream> {
  const got: string[] = [];
  const server = createTcp({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const at = got.push('') - 1;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      got[at] += chunk.toString('latin1');
    });
    if (ends) socket.on('end', () => socket.end());
    serve(socket);
  });
  return { port: await listening(server), got, bytes: () => got.join('').length };
}

/** An HTTP server. */
export async function http(answer: RequestListener): Promise<number> {
  return listening(createHttp(answer));
}

/** An HTTPS server, of HTTP/1.1 and HTTP/2. */
export async function https({ key, cert }: Authority, answer: RequestListener): Promise<number> {
  // One answer for both: what it uses of them is the same.
  return listening(createSecureServer({ key, cert, allowHTTP1: true }, answer as never));
}

export async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return port;
}

/** A connection to the proxy that is read as it comes. */
export class Peer {
  readonly socket: Socket;
  #text = '';
  #isOver = false;
  #wake: () => void = () => undefined;

  constructor(port: number) {
    this.socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
    this.socket.on('error', () => undefined);
    this.socket.on('data', (chunk) => {
      this.#text += chunk.toString('latin1');
      this.#wake();
    });
    for (const event of ['end', 'close'] as const)
      this.socket.on(event, () => {
        this.#isOver = true;
        this.#wake();
      });
    after(() => void this.socket.destroy());
  }

  /** All that came so far. */
  get text(): string {
    return this.#text;
  }

  send(bytes: string | Buffer): this {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    return this;
  }

  /** Waits until so much came, or the other side says no more. */
  async until(isEnough: (text: string) => boolean): Promise<string> {
    while (!this.#isOver && !isEnough(this.#text))
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return this.#text;
  }

  /** Waits until the other side says no more. */
  async over(): Promise<string> {
    const text = await this.until(() => false);
    this.socket.destroy();
    return text;
  }
}

/** Opens a tunnel; what it gives is what came behind the answer. Rejects with the answer where it is none. */
export async function tunnel(
  world: ProxyWorld,
  target: string,
  authorization = world.authorization,
): Promise<Peer> {
  const peer = new Peer(world.port);
  peer.send(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nProxy-Authorization: ${authorization}\r\n\r\n`);
  const text = await peer.until((come) => come.includes('\r\n\r\n'));
  if (!text.startsWith('HTTP/1.1 200 ')) throw new Error(text);
  return peer;
}

/** TLS over a tunnel. */
export function secure(peer: Peer, ca: string, servername: string, alpn: string[] = []): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    peer.socket.removeAllListeners('data');
    const socket = connectTls({ socket: peer.socket, ca, servername, ALPNProtocols: alpn });
    socket.once('secureConnect', () => resolve(socket));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed')));
  });
}
