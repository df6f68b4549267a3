import type { Socket } from 'node:net';
import { isSublError } from '@subluminal/core-types';
import { errorText, type InnerSession, type Reply } from '@subluminal/gateway';
import type { ShownToken } from './client/basic.js';
import { Denial } from './denial.js';
import type { ProxyLimits } from './limits.js';
import { type EndPayload, Opened } from './opened.js';
import type { NetAsk } from './net-ask.js';
import { RunMeter } from './carry/run-meter.js';
import type { RunTokens } from './client/tokens.js';

/** The last reports of a run get so long. */
const FLUSH_MS = 1000;
/** Nothing is kept of a run that asks for nothing for longer. */
const IDLE_MS = 300_000;

export interface RunLinkParts {
  /** Opens the run's session; undefined where it does not live. */
  readonly openSession: (runId: string, onEnd: () => void) => InnerSession | undefined;
  readonly monotonic: () => number;
  readonly limits: ProxyLimits;
  /** What the run may still carry, as far as its connections have ended; null for no limit. */
  readonly bytesLeft: (runId: string) => number | null;
  /** An end that is not taken any more, since the run ends. */
  readonly endLate: (payload: EndPayload) => void;
  readonly log: (line: string) => void;
  /** The run is over, or asks for nothing. */
  readonly onEnd: () => void;
}

/**
 * All that one run has open through the proxy, and the session in which the proxy asks for it. The proxy
 * decides nothing: it asks.
 */
export class RunLink {
  readonly runId: string;
  readonly meter: RunMeter;
  readonly #parts: RunLinkParts;
  readonly #tokens: RunTokens;
  readonly #session: InnerSession;
  readonly #opened = new Set<Opened>();
  /** Ends that are not in the record yet. */
  #reporting = 0;
  #reported: () => void = () => undefined;
  #entered = 0;
  readonly #held = new Set<Socket>();
  #usedAt: number;
  #isEnded = false;

  /** Throws `Denial` where the run does not live. */
  constructor(parts: RunLinkParts, tokens: RunTokens) {
    this.#parts = parts;
    this.#tokens = tokens;
    this.runId = tokens.runId;
    this.#usedAt = parts.monotonic();
    const { limits, monotonic } = parts;
    const bytesLeft = (): number | null => parts.bytesLeft(this.runId);
    this.meter = new RunMeter({ bytesPerSecond: limits.bytesPerSecond, bytesLeft }, monotonic);
    const session = parts.openSession(this.runId, () => void this.end());
    if (session === undefined) throw new Denial('run_ended', 'the run has ended');
    this.#session = session;
  }

  /** Whether the run's token was shown. */
  isTokenShown(shown: ShownToken): boolean {
    return this.#tokens.isShown(shown);
  }

  get connections(): number {
    return this.#entered;
  }

  /** What was decided on and is not over. */
  get opened(): Iterable<Opened> {
    return this.#opened;
  }

  /**
   * Whether there is a place for a client that needs no token, until it closes. One that is refused has its
   * place as well: to hear the refusal out takes as long as the client likes, and the places are everybody's.
   */
  holds(client: Socket): boolean {
    if (this.#held.size >= this.#parts.limits.maxRunConnections) return false;
    this.#held.add(client);
    client.once('close', () => this.#held.delete(client));
    return true;
  }

  /** Takes a place among the run's connections. Throws `Denial`. */
  enter(): () => void {
    if (this.#isEnded) throw new Denial('run_ended', 'the run has ended');
    if (this.#entered >= this.#parts.limits.maxRunConnections)
      throw new Denial('overloaded', 'too many connections of this run are open');
    this.#entered += 1;
    let left = false;
    return () => {
      if (!left) this.#entered -= 1;
      left = true;
      this.#usedAt = this.#parts.monotonic();
    };
  }

  /** Asks for a connection. What it gives has to be ended. Throws `Denial`. */
  async connect(ask: NetAsk): Promise<Opened> {
    const { serverName, via, worldId, host, port } = ask;
    const answer = await this.#session.request('net.connect', {
      ...(serverName === undefined ? {} : { server_name: serverName }),
      via,
      ...(worldId === undefined ? {} : { world_id: worldId }),
      host,
      port,
    });
    if (answer.status !== 'success') throw denialOf(answer);
    const opened = new Opened(
      ask,
      answer.data,
      (payload: EndPayload) => {
        this.#opened.delete(opened);
        void this.#report(payload);
      },
      this.#parts.monotonic,
    );
    this.#opened.add(opened);
    if (this.#isEnded) opened.cut('cut', new Denial('run_ended', 'the run has ended'));
    return opened;
  }

  /** Ends where nothing was asked for long. */
  sweep(now: number): void {
    if (this.#entered === 0 && this.#reporting === 0 && now - this.#usedAt > IDLE_MS) void this.end();
  }

  /** The run is over, or the gateway stops: what is open is cut. Resolves when it was reported. */
  async end(why = new Denial('run_ended', 'the run has ended')): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const opened of this.#opened) opened.cut('cut', why);
    await this.#flush();
    this.#session.end();
    this.#parts.onEnd();
  }

  /** Tells how a connection ended. What is not taken was closed with the run, or is written later. */
  async #report(payload: EndPayload): Promise<void> {
    this.#reporting += 1;
    try {
      const { error } = await this.#session.request('net.end', payload);
      // The end of its run closes it.
      if (error?.code === 'run_ended') this.#parts.endLate(payload);
      else if (error !== undefined) this.#lost(error.message);
    } catch (error) {
      if (isSublError(error, 'run_ended')) this.#parts.endLate(payload);
      else this.#lost(errorText(error));
    } finally {
      this.meter.recorded(payload.bytes_up + payload.bytes_down);
      this.#reporting -= 1;
      if (this.#isFlushed) this.#reported();
    }
  }

  #lost(why: string): void {
    this.#parts.log(`the end of a connection could not be recorded: ${why}`);
  }

  get #isFlushed(): boolean {
    return this.#opened.size + this.#reporting === 0;
  }

  /** Waits until every connection has said its end, and it was taken; not for long. */
  #flush(): Promise<void> {
    if (this.#isFlushed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, FLUSH_MS);
      this.#reported = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function denialOf({ error, auditRef }: Reply): Denial {
  const retryMs = error?.details?.['retry_after_ms'];
  return new Denial(error?.code ?? 'failed', error?.message ?? 'the gateway refused', {
    ...(auditRef === '' ? {} : { auditRef }),
    ...(typeof retryMs === 'number' ? { retryAfter: Math.ceil(retryMs / 1000) } : {}),
  });
}
