import type { Socket } from 'node:net';
import type { Dialer } from '@subluminal/egress';
import {
  errorText,
  type InnerSession,
  type Logger,
  type RefusedPeers,
  type RunRegistry,
  startTicking,
} from '@subluminal/gateway';
import type { ShownToken } from './client/basic.js';
import type { Behind } from './behind.js';
import { ClientGone, ClientInput } from './client/client-input.js';
import { Denial, NotAdmitted } from './denial.js';
import { Feeds } from './carry/feed.js';
import { serveHttp } from './client/http-client.js';
import type { Injector } from './inspect/injector.js';
import type { ProxyLimits } from './limits.js';
import type { EndPayload, Opened } from './opened.js';
import { RunLink } from './run-link.js';
import { serveSocks } from './client/socks-client.js';
import type { RunTokens, Tokens } from './client/tokens.js';
import { TurnBytes } from './carry/turn-bytes.js';
import { serveWorld, type WorldDestination } from './world-client.js';

/** How soon what is allowed no more is noticed. */
const SWEEP_MS = 500;
const SOCKS5 = 5;
/** Node keeps a closed socket until its next full collection, and with it each listener that is left. */
const ignore = (): void => undefined;

export interface ServingParts {
  readonly tokens: Tokens;
  /** Opens the session in which the proxy asks for a run; undefined where it does not live. */
  readonly openSession: (runId: string, onEnd: () => void) => InnerSession | undefined;
  readonly registry: Pick<RunRegistry, 'live'>;
  readonly refused: RefusedPeers;
  readonly dialer: Pick<Dialer, 'openPlain' | 'connect'>;
  readonly injector: Injector;
  /** The allowlist's generation. */
  readonly generation: () => number;
  /** Whether what was decided under another generation would be decided so now. */
  readonly isStillAllowed: (opened: Opened, runId: string) => boolean;
  /** What a run may still carry, as far as its connections have ended; null for no limit. */
  readonly bytesLeft: (runId: string) => number | null;
  /** An end that is not taken any more, since its run ends. */
  readonly endLate: (runId: string, payload: EndPayload) => void;
  readonly monotonic: () => number;
  /** Asked each time: `config.toml` may change them. */
  readonly limits: () => ProxyLimits;
  readonly strict: () => boolean;
  readonly log: Logger;
}

/** A connection of a world: whose it is, and where it was meant to go. */
export interface WorldAsk extends WorldDestination {
  readonly runId: string;
}

/**
 * The forward proxy: what agents and their servers dial themselves. It decides nothing; what it carries it
 * has asked for in the run's name, through every stage of the pipeline.
 */
export class ProxyServing {
  readonly #parts: ServingParts;
  readonly #behind: Behind;
  readonly #links = new Map<string, RunLink>();
  /** Clients that have not shown a token, in the order in which they came. */
  readonly #strangers = new Set<Socket>();
  readonly #guests = new Set<Socket>();
  #stopTicking: () => void = () => undefined;

  constructor(parts: ServingParts) {
    this.#parts = parts;
    const { limits, dialer, injector, monotonic, strict, refused } = parts;
    this.#behind = {
      get limits() {
        return limits();
      },
      get strict() {
        return strict();
      },
      dialer,
      injector,
      monotonic,
      share: new TurnBytes(),
      feeds: new Feeds(),
      admit: (shown) => this.#admit(shown),
      count: (reason) => refused.count(reason),
    };
  }

  /** Connections that have shown a token. */
  get connections(): number {
    return this.#guests.size;
  }

  /** Looks after what is open, until `stop`. */
  start(): void {
    this.#stopTicking = startTicking(
      SWEEP_MS,
      (error) => this.#parts.log.error('a routine failed', { error: errorText(error) }),
      () => this.#sweep(),
    );
  }

  /** Serves one client. The socket is paused. */
  handle(client: Socket): void {
    const { refused, log } = this.#parts;
    const limits = this.#parts.limits();
    client.on('error', ignore);
    if (this.#strangers.size >= limits.maxUnauthenticated) this.#makeRoom();
    this.#strangers.add(client);
    client.once('close', () => {
      this.#strangers.delete(client);
      this.#guests.delete(client);
    });
    const input = new ClientInput(client);
    const deadline = setTimeout(() => {
      refused.count('deadline');
      input.fail(new Denial('timed_out', 'the request did not come in time'));
    }, limits.headMs);
    client.once('close', () => clearTimeout(deadline));
    const inTime = (): void => {
      clearTimeout(deadline);
      this.#strangers.delete(client);
      if (this.#guests.size >= this.#parts.limits().maxConnections)
        throw new Denial('overloaded', 'too many connections are open');
      this.#guests.add(client);
    };
    this.#serve(client, input, inTime).catch((error: unknown) => {
      if (!(error instanceof ClientGone))
        log.error('a connection of the proxy failed', { error: errorText(error) });
      client.destroy();
    });
  }

  /**
   * Serves a connection that a program in a world of the run has opened. The socket is paused. Never throws:
   * whoever calls it takes what comes to a listener.
   */
  handleWorld(client: Socket, asked: WorldAsk): void {
    client.on('error', ignore);
    this.#serveWorld(client, asked).catch((error: unknown) => {
      if (!(error instanceof ClientGone || error instanceof Denial))
        this.#parts.log.error('a connection of a world failed', { error: errorText(error) });
      client.resetAndDestroy();
    });
  }

  /** Cuts what a run that ends has open. Resolves when its ends are told, or nearly so. Never rejects. */
  async cut(runId: string): Promise<void> {
    await this.#links.get(runId)?.end();
  }

  /** Cuts everything that is open, and reports it. */
  async stop(): Promise<void> {
    this.#stopTicking();
    this.#parts.refused.flush();
    for (const client of this.#strangers) client.destroy();
    const why = new Denial('shutting_down', 'the gateway is stopping');
    await Promise.all([...this.#links.values()].map((link) => link.end(why)));
    for (const client of this.#guests) client.destroy();
  }

  async #serveWorld(client: Socket, { runId, ...asked }: WorldAsk): Promise<void> {
    const { registry, tokens } = this.#parts;
    if (registry.live(runId) === undefined) throw new Denial('run_ended', 'the run has ended');
    if (this.#guests.size >= this.#parts.limits().maxConnections)
      throw new Denial('overloaded', 'too many connections are open');
    const link = this.#links.get(runId) ?? this.#open(tokens.ofRun(runId));
    if (!link.holds(client)) throw new Denial('overloaded', 'too many connections of this run are open');
    this.#guests.add(client);
    client.once('close', () => this.#guests.delete(client));
    await serveWorld(client, this.#behind, link, asked);
  }

  async #serve(client: Socket, input: ClientInput, inTime: () => void): Promise<void> {
    const first = await input.read();
    if (first === undefined) throw new ClientGone('the client has left');
    input.unread(first);
    if (first[0] === SOCKS5) await serveSocks(client, input, this.#behind, inTime);
    else await serveHttp(client, input, this.#behind, inTime);
  }

  /** Who waits longest makes room: clients that only hold their places keep nobody out who asks at once. */
  #makeRoom(): void {
    for (const client of this.#strangers) {
      this.#parts.refused.count('too_many');
      this.#strangers.delete(client);
      client.destroy();
      return;
    }
  }

  /**
   * The link of the run that a token stands for. What a token is held against is kept with the link, hence no
   * longer than the run.
   */
  #admit(shown: ShownToken | undefined): RunLink {
    const { tokens, registry } = this.#parts;
    const known = shown === undefined ? undefined : this.#links.get(shown.runId);
    if (shown !== undefined && known?.isTokenShown(shown) === true) {
      if (registry.live(known.runId) === undefined) throw new Denial('run_ended', 'the run has ended');
      return known;
    }
    const run = tokens.runOf(shown);
    if (run === undefined) throw new NotAdmitted();
    return this.#open(run);
  }

  #open(tokens: RunTokens): RunLink {
    const { openSession, monotonic, limits, bytesLeft, endLate, log } = this.#parts;
    const { runId } = tokens;
    const link = new RunLink(
      {
        openSession,
        monotonic,
        get limits() {
          return limits();
        },
        bytesLeft,
        endLate: (payload) => endLate(runId, payload),
        log: (line) => log.warn('in the proxy', { run: runId, line }),
        onEnd: () => {
          if (this.#links.get(runId) === link) this.#links.delete(runId);
        },
      },
      tokens,
    );
    this.#links.set(runId, link);
    return link;
  }

  #sweep(): void {
    const { registry, monotonic, generation, isStillAllowed } = this.#parts;
    const limits = this.#parts.limits();
    const now = monotonic();
    const current = generation();
    for (const link of this.#links.values()) {
      if (registry.live(link.runId) === undefined) {
        void link.end();
        continue;
      }
      for (const opened of link.opened) {
        if (opened.generation !== current) {
          if (isStillAllowed(opened, link.runId)) opened.generation = current;
          else opened.cut('cut', new Denial('not_allowed', 'the destination is no longer allowed'));
        }
        if (opened.inspected !== undefined && !this.#parts.injector.isStillBound(...opened.inspected))
          opened.cut('cut', new Denial('secret_refused', 'a secret of it is bound no more'));
        if (now - opened.movedAt > limits.idleMs)
          opened.cut('timed_out', new Denial('timed_out', `nothing was carried for ${limits.idleMs} ms`));
      }
      link.sweep(now);
    }
  }
}
