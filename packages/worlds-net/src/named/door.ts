import { timingSafeEqual } from 'node:crypto';
import { createServer, isIPv4, type Socket } from 'node:net';
import { SublError } from '@subluminal/core-types';
import type { Arrivals, Doors } from '../doors.js';
import { answerOverTcp } from './names.js';

/** Connections at once that have not said yet whose they are: every program of the machine can open some. */
const MAX_STRANGERS = 64;
const HELLO_MS = 5000;
const SECRET_BYTES = 32;
/** Connections of one world that ask for names. */
const MAX_ASKING = 256;
/** Token, address and port, and the end of the line. */
const MAX_HELLO = 2 * SECRET_BYTES + 24;
const NAMES_PORT = 53;

/**
 * Opens the door of one world that has no network of its own: a listener on loopback. A connection begins
 * with one line of whoever answers for the world, `TOKEN ADDRESS PORT`, with the address that the program
 * meant. The door answers with its proof; whatever follows is the program's. Throws `not_available` if none
 * can be opened.
 */
export async function openNamedDoor(random: (size: number) => Uint8Array): Promise<Doors> {
  const [token, proof] = [random(SECRET_BYTES), random(SECRET_BYTES)].map((secret) =>
    Buffer.from(secret).toString('hex'),
  );
  if (token === undefined || proof === undefined) throw new Error('there are no secrets');
  const clients = new Set<Socket>();
  const asking = new Set<Socket>();
  let arrivals: Arrivals | undefined;
  const server = createServer({ allowHalfOpen: true, noDelay: true });
  server.on('connection', (client) => {
    client.on('error', () => undefined);
    if (arrivals === undefined || clients.size >= MAX_STRANGERS) {
      client.destroy();
      return;
    }
    clients.add(client);
    greet(client, { token, proof, arrivals, asking, known: () => clients.delete(client) });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new SublError('not_available', `no listener on loopback: ${cause.message}`, { cause })),
    );
    server.listen({ host: '127.0.0.1', port: 0, backlog: 512 }, resolve);
  });
  server.on('error', () => undefined);
  const at = server.address();
  if (at === null || typeof at === 'string') throw new Error('a listener has no port');
  let isOver: () => void = () => undefined;
  return {
    network: 'named',
    place: { door: { port: at.port, token, proof } },
    namespace: undefined,
    serve: (taken) => (arrivals = taken),
    ended: new Promise((resolve) => (isOver = resolve)),
    close: () => {
      server.close();
      for (const client of [...clients, ...asking]) client.destroy();
      isOver();
    },
  };
}

interface Greeting {
  readonly token: string;
  readonly proof: string;
  readonly arrivals: Arrivals;
  /** Those that ask for names, until they are gone. */
  readonly asking: Set<Socket>;
  /** It has said whose it is, or is gone. */
  readonly known: () => void;
}

/** Reads the line, and hands the connection on. */
function greet(client: Socket, { token, proof, arrivals, asking, known }: Greeting): void {
  let line = '';
  const timer = setTimeout(() => client.destroy(), HELLO_MS);
  const over = (): void => {
    clearTimeout(timer);
    known();
  };
  client.once('close', over);
  client.once('end', () => client.destroy());
  client.on('data', function read(chunk: Buffer) {
    line += chunk.toString('latin1');
    if (!line.includes('\n') && line.length < MAX_HELLO) return;
    client.off('data', read).pause().removeAllListeners('end').off('close', over);
    over();
    const meant = destinationOf(line, token);
    const asksNames = meant?.port === NAMES_PORT;
    if (meant === undefined || (asksNames && asking.size >= MAX_ASKING)) {
      arrivals.malformed();
      client.destroy();
      return;
    }
    client.write(proof, 'latin1');
    if (!asksNames) {
      arrivals.connected(client, meant.address, meant.port);
      return;
    }
    asking.add(client);
    client.once('close', () => asking.delete(client));
    answerOverTcp(client, arrivals);
  });
}

/** Where the program wants to go; undefined for a line that is not from whoever answers for this world. */
function destinationOf(
  line: string,
  token: string,
): { readonly address: string; readonly port: number } | undefined {
  const [, shown = '', address = '', digits = ''] =
    /^([0-9a-f]{64}) (\d{1,3}(?:\.\d{1,3}){3}) (\d{1,5})\n$/.exec(line) ?? [];
  if (shown === '' || !timingSafeEqual(Buffer.from(shown), Buffer.from(token))) return undefined;
  const port = Number(digits);
  return isIPv4(address) && port >= 1 && port <= 65_535 ? { address, port } : undefined;
}
