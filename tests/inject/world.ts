import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { canonicalize, proxyRunToken, sha256Hex, type JsonObject } from '@subluminal/core-types';
import type { GatewayOptions } from '@subluminal/daemon';
import { processIdentity } from '@subluminal/ipc';
import { after } from '../gateway/cleanups.js';
import { dataOf, start, type TestGateway, type TestRun } from '../gateway/harness.js';
import { authority, type Authority } from '../proxy/authority.js';
import { listening, Peer } from '../proxy/world.js';

/**
 * The host that secrets are bound to, one that is bound and not listed, and one that is listed and not bound.
 */
export const BOUND = 'api.example';
export const UNLISTED = 'unlisted.example';
export const OTHER = 'other.example';
export const SECRET = 'real+secret/"value"-0123456789abcdef';
export const PASSWORD = 'real-password-of-the-second-binding';
export const SERVER = 'issues';
export const COMMAND = ['/usr/bin/env', 'issues-server'] as const;

/** What reached the server: heads and bodies. */
export interface Got {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly raw: readonly string[];
  readonly body: string;
}

/** A server of a run with placeholders, as its shim would have started it. */
export interface Held {
  readonly token: string;
  readonly shimId: string;
  readonly placeholder: string;
  readonly password: string;
  readonly trust: { readonly bundle: string; readonly own: string };
  readonly answer: JsonObject;
}

export interface InjectWorld {
  readonly gateway: TestGateway;
  readonly authority: Pick<Authority, 'ca'>;
  readonly port: number;
  /** Of the HTTPS server. */
  readonly at: number;
  readonly got: Got[];
  readonly run: TestRun;
  readonly held: Held;
  readonly configPath: string;
  readonly config: (bindings: string) => string;
  readonly start: (run: TestRun, server?: string, command?: readonly string[]) => Promise<Held>;
  readonly allow: (host: string, more?: Record<string, unknown>) => Promise<void>;
}

/** Made once: it costs some processes. Its folder goes with the first world. */
let known: Authority | undefined;

/** One gateway, one HTTPS server with a CA of its own, and a server with two placeholders. */
export async function injectWorld(
  answer: RequestListener,
  options: Partial<GatewayOptions> = {},
  bindingsAt: (at: number) => string = () => '',
  tune: (server: Server) => void = () => undefined,
): Promise<InjectWorld> {
  known ??= authority([BOUND, UNLISTED, OTHER]);
  const own = known;
  const got: Got[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'sub-inject-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
  const server = createServer(
    { key: own.key, cert: own.cert },
    (request, response) => void keep(got, request, response, answer),
  );
  tune(server);
  const at = await listening(server);
  const config = (bindings: string): string => `[egress]\nmode = "observe"\nidle_ms = 60000\n${bindings}`;
  const both =
    bindingText('API_TOKEN', 'store', 'api_token', at) +
    bindingText('API_PASSWORD', 'file', passwordFile, at);
  const gateway = await start({
    resolver: { resolve: () => Promise.resolve(['127.0.0.1']) },
    extraCas: [own.ca],
    ...options,
    config: config(both + bindingsAt(at)),
  });
  const operator = await gateway.operator();
  const allow = async (host: string, more: Record<string, unknown> = {}): Promise<void> => {
    dataOf(await operator.request('allow.add', { host, allow_private: true, ...more }));
  };
  for (const host of [BOUND, OTHER]) await allow(host, { port: at });
  dataOf(
    await operator.request('secrets.add', { name: 'api_token', value: SECRET, salt: salt(), replace: false }),
  );
  const run = await gateway.run();
  const status = dataOf(await operator.request('gateway.status', {}));
  const { port } = status['proxy'] as { port: number };
  return {
    gateway,
    authority: own,
    port,
    at,
    got,
    run,
    held: await startServer(run),
    configPath: gateway.paths.config,
    config: (bindings) => config(bindings),
    start: startServer,
    allow,
  };
}

/** A binding of the server of the tests to its hosts. */
export function bindingText(
  variable: string,
  source: string,
  ref: string,
  at: number,
  command: readonly string[] = COMMAND,
): string {
  return `
[[secret_bindings]]
server_name = "${SERVER}"
inject_as = "${variable}"
secret_ref = ${JSON.stringify(ref)}
source = "${source}"
inject = "egress"
hosts = ["${BOUND}:${at}", "${UNLISTED}:${at}"]
command = ${JSON.stringify(command)}
`;
}

const salt = (): string => randomBytes(18).toString('base64url');

/** Announces a server and asks for its secrets, as a shim does. */
export async function startServer(
  { client }: TestRun,
  server: string = SERVER,
  command: readonly string[] = COMMAND,
): Promise<Held> {
  const token = randomBytes(24).toString('base64url');
  const shimId = randomBytes(9).toString('base64url');
  const argv_hash = sha256Hex(canonicalize([...command]));
  const shim = processIdentity(process.pid);
  const named = { shim_id: shimId, server_name: server, argv_hash, token };
  dataOf(await client.request('upstream.begin', { ...named, proc_id: 'p', shim: { ...shim } }));
  const answer = dataOf(await client.request('secrets.release', { ...named, pass: [] }));
  const values = Object.fromEntries(
    (answer['secrets'] as { inject_as: string; value: string }[]).map((one) => [one.inject_as, one.value]),
  );
  const trust = answer['trust'] as unknown as Held['trust'];
  return {
    token,
    shimId,
    placeholder: values['API_TOKEN'] ?? '',
    password: values['API_PASSWORD'] ?? '',
    trust,
    answer,
  };
}

/** What came with a request. */
const bodies = new WeakMap<IncomingMessage, string>();

/** The body of a request that the server of the tests answers, as latin1. */
export function textOf(request: IncomingMessage): string {
  return bodies.get(request) ?? '';
}

async function keep(
  got: Got[],
  request: IncomingMessage,
  response: ServerResponse,
  answer: RequestListener,
): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const { method = '', url = '', headers, rawHeaders: raw } = request;
  const body = Buffer.concat(pieces).toString('latin1');
  got.push({ method, url, headers, raw, body });
  bodies.set(request, body);
  answer(request, response);
}

/** The login of a server at the proxy. */
export function loginOf(
  run: TestRun,
  label: string = SERVER,
  token = proxyRunToken(run.credential, label),
): string {
  return `Basic ${Buffer.from(`${label}:${token}`).toString('base64')}`;
}

/** A tunnel to a place; the answer of the proxy where it is none. */
export async function tunnelTo(
  world: InjectWorld,
  place: string,
  authorization = loginOf(world.run),
): Promise<Peer | string> {
  const peer = new Peer(world.port);
  peer.send(`CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\nProxy-Authorization: ${authorization}\r\n\r\n`);
  const text = await peer.until((come) => come.includes('\r\n\r\n'));
  return text.startsWith('HTTP/1.1 200 ') ? peer : peer.over();
}

/** How a client of the tests connects. */
export interface Connecting {
  readonly host?: string;
  readonly servername?: string;
  readonly authorization?: string;
  readonly ca?: string;
}

/** TLS through a tunnel, which trusts what the server of the tests was given. */
export async function secureTo(world: InjectWorld, how: Connecting = {}): Promise<TLSSocket> {
  const { host = BOUND, authorization = loginOf(world.run) } = how;
  const peer = await tunnelTo(world, `${host}:${world.at}`, authorization);
  if (typeof peer === 'string') throw new Error(peer);
  return secured(peer, how.ca ?? readFileSync(world.held.trust.own, 'utf8'), how.servername ?? host);
}

export function secured(
  peer: Peer,
  ca: string,
  servername: string,
  ALPNProtocols = ['h2', 'http/1.1'],
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    peer.socket.removeAllListeners('data');
    const socket = connectTls({ socket: peer.socket, ca, servername, ALPNProtocols });
    socket.once('secureConnect', () => resolve(socket));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed')));
  });
}

/** Says something and gives all that comes until the other side says no more, or `isEnough`. */
export function exchange(
  socket: TLSSocket,
  text: string,
  isEnough: (come: string) => boolean = () => false,
): Promise<string> {
  return new Promise((resolve) => {
    let come = '';
    const done = (): void => {
      socket.off('data', hear);
      resolve(come);
    };
    const hear = (chunk: Buffer): void => {
      come += chunk.toString('latin1');
      if (isEnough(come)) done();
    };
    socket.on('data', hear);
    socket.once('close', done);
    socket.once('end', done);
    socket.on('error', () => undefined);
    socket.write(Buffer.from(text, 'latin1'));
  });
}

/** One request and its answer, over a connection of its own. */
export async function ask(world: InjectWorld, head: string, more: Connecting = {}): Promise<string> {
  const socket = await secureTo(world, more);
  const host = more.host ?? BOUND;
  const answer = await exchange(
    socket,
    `${head.replaceAll('\n', '\r\n')}\r\nHost: ${host}:${world.at}\r\nConnection: close\r\n\r\n`,
  );
  socket.destroy();
  return answer;
}

/** The ends of connections in the record, the newest last. */
export function ends(world: InjectWorld): readonly JsonObject[] {
  return world.gateway
    .rows('action_result')
    .filter(({ tool }) => tool === 'net.connect')
    .map(({ data }) => data);
}

/** Waits for an end like that. */
export async function endOf(world: InjectWorld, isIt: (end: JsonObject) => boolean): Promise<JsonObject> {
  for (let tries = 0; tries < 1000; tries += 1) {
    const found = ends(world).find(isIt);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('no connection has ended so');
}
