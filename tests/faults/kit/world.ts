import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Credential } from '@subluminal/core-types';
import {
  connectGateway,
  homePaths,
  readCredential,
  type GatewayClient,
  type HomePaths,
} from '@subluminal/ipc';
import { assertNoLongTurn, WATCHED_GATEWAY } from '../../support/watch.js';

const READY_MS = 60_000;

/** How a gateway ended. */
export interface GatewayEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** A gateway process. */
export interface RunningGateway {
  readonly child: ChildProcess;
  readonly ended: Promise<GatewayEnd>;
}

export interface WorldOptions {
  /** Lines of `config.toml`. */
  readonly config?: string;
  /** An existing folder that holds everything; else one is made. */
  readonly root?: string;
  /**
   * The same folder as the gateway sees it, and the words of a command line that runs a program where it
   * does.
   */
  readonly inside?: { readonly root: string; readonly command: readonly string[] };
}

/**
 * A home with real gateway processes on it, and effects that can be counted: a web service that notes the
 * body of each request, and a file to which each executed call is appended, as its MCP server would.
 */
export class FaultWorld {
  readonly root: string;
  readonly paths: HomePaths;
  readonly headsLog: string;
  readonly #inside: WorldOptions['inside'];
  readonly #effects: string;
  readonly #served: string[] = [];
  readonly #server: Server;
  readonly #clients = new Map<string, GatewayClient>();
  /** A turn that is traced takes as long as whoever traces it. */
  #isTraced = false;
  #gateway: RunningGateway | undefined;

  constructor(options: WorldOptions = {}) {
    this.root = options.root ?? mkdtempSync(join(tmpdir(), 'sub-f-'));
    this.#inside = options.inside;
    const home = join(this.root, 'h');
    mkdirSync(home, { mode: 0o700 });
    this.paths = homePaths(home);
    this.headsLog = join(this.root, 'state', 'heads.log');
    this.#effects = join(this.root, 'effects');
    writeFileSync(this.#effects, '');
    if (options.config !== undefined) writeFileSync(this.paths.config, options.config, { mode: 0o600 });
    this.#server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        this.#served.push(body);
        response.end('done');
      });
    });
  }

  /** The folders whose calls the fault library is to see. */
  get watched(): string[] {
    return [this.paths.home, join(this.root, 'state')];
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this.port;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get gateway(): RunningGateway | undefined {
    return this.#gateway;
  }

  /**
   * Starts a gateway; `before` are words of a command line that runs it. It may not be ready yet, or never
   * be.
   */
  spawn(env: Record<string, string> = {}, before: readonly string[] = []): RunningGateway {
    this.#isTraced ||= before.length > 0;
    const { root = this.root, command: into = [] } = this.#inside ?? {};
    const [command, ...args] = [
      ...into,
      ...before,
      process.execPath,
      WATCHED_GATEWAY,
      '--home',
      join(root, 'h'),
      '--heads-log',
      join(root, 'state', 'heads.log'),
    ];
    const child = spawn(command, args, {
      cwd: '/',
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const ended = once(child, 'close').then(([code, signal]): GatewayEnd => {
      if (this.#gateway?.child === child) this.#gateway = undefined;
      return {
        code: typeof code === 'number' ? code : null,
        signal: (signal as NodeJS.Signals | null) ?? null,
        stderr,
      };
    });
    this.#gateway = { child, ended };
    return this.#gateway;
  }

  /** Starts a gateway and waits until it serves: undefined, or until it has ended: how. */
  async start(
    env: Record<string, string> = {},
    before: readonly string[] = [],
  ): Promise<GatewayEnd | undefined> {
    const gateway = this.spawn(env, before);
    const until = performance.now() + READY_MS;
    while (this.#gateway === gateway) {
      const serves = await this.operator().then(
        () => true,
        () => false,
      );
      if (serves) return undefined;
      if (performance.now() > until) throw new Error('the gateway neither serves nor ends');
      await pause(10);
    }
    return gateway.ended;
  }

  /** Ends the gateway, if one runs, and says how it went. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<GatewayEnd | undefined> {
    const gateway = this.#gateway;
    if (gateway === undefined) return undefined;
    gateway.child.kill(signal);
    const end = await Promise.race([gateway.ended, pause(READY_MS, true)]);
    this.disconnect();
    if (end === undefined) throw new Error('the gateway does not end');
    return end;
  }

  operator(): Promise<GatewayClient> {
    return this.connect('operator', () => readCredential(this.paths.operatorKey));
  }

  /** The connection of that name, made where there is none. */
  async connect(name: string, credential: () => Credential): Promise<GatewayClient> {
    const known = this.#clients.get(name);
    if (known !== undefined) return known;
    const client = await connectGateway({
      socketPath: this.paths.socket,
      credential: credential(),
      clock: Date.now,
    });
    this.#clients.set(name, client);
    void client.closed.then(() => {
      if (this.#clients.get(name) === client) this.#clients.delete(name);
    });
    return client;
  }

  disconnect(): void {
    for (const client of this.#clients.values()) client.close();
    this.#clients.clear();
  }

  /** What an MCP server does when its shim was told ALLOW. */
  execute(callId: string): void {
    writeFileSync(this.#effects, `${callId}\n`, { flag: 'a' });
  }

  /** Every executed call and every body that the service got, in their order. */
  effects(): { readonly calls: string[]; readonly served: readonly string[] } {
    return { calls: readFileSync(this.#effects, 'utf8').split('\n').slice(0, -1), served: this.#served };
  }

  async remove(): Promise<void> {
    this.disconnect();
    const gateway = this.#gateway;
    gateway?.child.kill('SIGKILL');
    await gateway?.ended;
    this.#server.closeAllConnections();
    this.#server.close();
    try {
      if (!this.#isTraced) assertNoLongTurn(this.root);
    } finally {
      rmSync(this.root, { recursive: true, force: true });
    }
  }
}

export function pause(ms: number, unref: true): Promise<undefined>;
export function pause(ms: number): Promise<void>;
export function pause(ms: number, unref = false): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (unref) timer.unref();
  });
}
