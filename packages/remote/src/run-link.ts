import { sha256Hex, SublError } from '@subluminal/core-types';
import { createRequestIds, type GatewayClient } from '@subluminal/ipc';
import { GatewaySession } from '@subluminal/agent';
import { type SessionLimits } from '@subluminal/mcp';
import { type HeaderSecrets, type InnerAsker, innerClient, type InnerSession } from '@subluminal/gateway';
import type { Line } from '@subluminal/egress';
import type { Ask } from './client/ask.js';
import { Channel } from './channel.js';
import type { HttpLimits } from './limits.js';
import { HttpRefusal } from './client/refusal.js';
import { ServerLink } from './server/server-link.js';

/** The last reports of a run that ends here get so long. */
const FLUSH_MS = 300;
/** Servers that one run has to do with at once. */
const MAX_SERVERS = 128;

/** Opens a session in which the gateway asks as that caller; undefined where its run does not live. */
export type OpenSession = (asker: InnerAsker, onEnd: () => void) => InnerSession | undefined;

export interface RunLinkParts {
  readonly openSession: OpenSession;
  readonly ledgerId: string;
  readonly monotonic: () => number;
  readonly line: Line;
  readonly secrets: HeaderSecrets;
  readonly generation: () => number;
  readonly limits: HttpLimits;
  readonly session: SessionLimits;
  readonly log: (line: string) => void;
  /** Nothing of the run goes on here any more. */
  readonly onEnd: () => void;
}

/**
 * Everything that one run does over HTTP: the session in which it asks, the session in which the gateway asks
 * where it may dial, its servers, and its sessions. It ends with the run.
 */
export class RunLink {
  readonly runId: string;
  readonly #parts: RunLinkParts;
  readonly #session: GatewaySession;
  readonly #inner: InnerSession;
  readonly #nextId = createRequestIds();
  readonly #servers = new Map<string, ServerLink>();
  /**
   * Sessions by server, by what they were opened with, and by their ids; the one that was used longest ago
   * first.
   */
  readonly #channels = new Map<string, Channel>();
  /** Sessions that are being opened. */
  readonly #opening = new Set<Channel>();
  exchanges = 0;
  usedAt: number;
  #ended = false;

  /** @throws HttpRefusal where the run does not live. */
  constructor(parts: RunLinkParts, runId: string) {
    this.#parts = parts;
    this.runId = runId;
    this.usedAt = parts.monotonic();
    this.#inner = this.#openAs('gateway', () => void this.end());
    this.#session = new GatewaySession({
      connect: () => Promise.resolve(this.#client()),
      introduce: () => Promise.resolve(),
      monotonic: parts.monotonic,
    });
    void this.#session.over.then(() => this.end());
  }

  get sessions(): number {
    let count = 0;
    for (const { sessionId } of this.#channels.values()) if (sessionId !== undefined) count += 1;
    return count;
  }

  /** Takes a place among what is open at once. @throws HttpRefusal */
  enter(): () => void {
    if (this.#ended) throw new HttpRefusal(403, 'the run has ended');
    if (this.exchanges >= this.#parts.limits.maxRunExchanges)
      throw new HttpRefusal(429, 'too many requests of this run are open');
    this.exchanges += 1;
    this.usedAt = this.#parts.monotonic();
    let left = false;
    return () => {
      if (!left) this.exchanges -= 1;
      left = true;
      this.usedAt = this.#parts.monotonic();
    };
  }

  /**
   * The channel that a request belongs to.
   * @throws HttpRefusal for a session that was not opened by this run with this token, at this URL.
   */
  channelOf(ask: Ask, opens: boolean): Channel {
    const server = this.#serverOf(ask);
    server.keepOutOfRecord();
    // Whoever opens a session has none yet; a client that sends an old id along gets a new one.
    if (opens) return this.#open(server);
    const key = keyOf(ask, ask.sessionId);
    const found = this.#channels.get(key);
    if (found !== undefined) {
      this.#channels.delete(key);
      this.#channels.set(key, found);
      return found;
    }
    if (ask.sessionId !== undefined) throw new UnknownSession(server);
    const channel = this.#newChannel(server);
    this.#channels.set(key, channel);
    return channel;
  }

  /** The server has given the session an id. @throws HttpRefusal where the run has too many. */
  name(channel: Channel, ask: Ask, sessionId: string): void {
    const key = keyOf(ask, sessionId);
    if (this.#channels.has(key))
      throw new HttpRefusal(502, 'the server gave a session the id of another one');
    if (this.sessions >= this.#parts.limits.maxRunSessions) this.#makeRoom();
    channel.sessionId = sessionId;
    this.#opening.delete(channel);
    this.#channels.set(key, channel);
  }

  /** A session was not given an id, or the request that opened it has failed. */
  opened(channel: Channel): void {
    if (this.#opening.delete(channel) && channel.sessionId === undefined) channel.end();
  }

  /** The session is over. */
  close(channel: Channel): void {
    for (const [key, found] of this.#channels) if (found === channel) this.#channels.delete(key);
    channel.end();
  }

  /** Ends what nothing was asked of for too long. True when nothing is left. */
  sweep(now: number): boolean {
    const { idleSessionMs } = this.#parts.limits;
    for (const channel of this.#channels.values()) {
      const idle = channel.sessionId === undefined ? IDLE_MS : idleSessionMs;
      if (channel.exchanges.size === 0 && now - channel.usedAt > idle) this.close(channel);
    }
    return this.#channels.size === 0 && this.exchanges === 0 && now - this.usedAt > IDLE_MS;
  }

  /** The run is over, or the gateway stops: resolves when what was to be reported is. */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    for (const channel of [...this.#channels.values(), ...this.#opening]) channel.end();
    this.#channels.clear();
    this.#opening.clear();
    for (const server of this.#servers.values()) server.leave();
    await Promise.all([...this.#servers.values()].map((server) => server.flush(FLUSH_MS)));
    this.#session.close();
    this.#inner.end();
    this.#parts.onEnd();
  }

  #serverOf(ask: Ask): ServerLink {
    const key = JSON.stringify([ask.serverName, ask.upstreamUrl]);
    const known = this.#servers.get(key);
    if (known !== undefined) return known;
    if (this.#servers.size >= MAX_SERVERS) this.#forgetUnused();
    if (this.#servers.size >= MAX_SERVERS)
      throw new HttpRefusal(429, 'the run has to do with too many servers');
    const { limits, line, secrets, generation, monotonic, log } = this.#parts;
    const link = new ServerLink(
      {
        session: this.#session,
        inner: this.#inner,
        runId: this.runId,
        nextId: this.#nextId,
        line,
        secrets,
        generation,
        limits,
        monotonic,
        log,
      },
      ask,
    );
    this.#servers.set(key, link);
    return link;
  }

  /** Servers that no session has to do with any more. */
  #forgetUnused(): void {
    const used = new Set([...this.#channels.values(), ...this.#opening].map(({ link }) => link));
    for (const [key, server] of this.#servers) {
      if (used.has(server)) continue;
      server.leave();
      this.#servers.delete(key);
    }
  }

  #open(server: ServerLink): Channel {
    const channel = this.#newChannel(server);
    this.#opening.add(channel);
    return channel;
  }

  #newChannel(link: ServerLink): Channel {
    const { session: limits, monotonic } = this.#parts;
    return new Channel({ link, core: link.core, limits, monotonic, onRunOver: () => void this.end() });
  }

  /** Of too many sessions the one that was used longest ago ends, where nothing goes on in it. */
  #makeRoom(): void {
    for (const channel of this.#channels.values()) {
      if (channel.sessionId === undefined || channel.exchanges.size > 0) continue;
      this.close(channel);
      return;
    }
    throw new HttpRefusal(429, 'the run has too many sessions');
  }

  /** The session in which the run asks, as a shim of it would over the socket. */
  #client(): GatewayClient {
    let ended: (reason: SublError) => void = () => undefined;
    const closed = new Promise<SublError>((resolve) => {
      ended = resolve;
    });
    const over = (): void => ended(new SublError('handshake_refused', 'the run has ended'));
    return innerClient(this.#openAs('run', over), { ledgerId: this.#parts.ledgerId, closed });
  }

  /** @throws HttpRefusal where the run does not live. */
  #openAs(kind: 'gateway' | 'run', onEnd: () => void): InnerSession {
    const session = this.#parts.openSession({ kind, runId: this.runId }, onEnd);
    if (session === undefined) throw new HttpRefusal(403, 'the run has ended');
    return session;
  }
}

/** What is kept of a run that has nothing open. */
const IDLE_MS = 300_000;

/**
 * A session that nobody here knows: of another run or token, at another URL, from before a restart, or made
 * up.
 */
export class UnknownSession extends HttpRefusal {
  readonly link: ServerLink;

  constructor(link: ServerLink) {
    super(404, 'there is no such session', -32001);
    this.link = link;
  }
}

function keyOf({ serverName, upstreamUrl, token }: Ask, sessionId: string | undefined): string {
  return sha256Hex(JSON.stringify([serverName, upstreamUrl, token, sessionId ?? null]));
}
