import type { Credential, JsonValue, NetEndPayload } from '@subluminal/core-types';
import { connectGateway, createRequestIds, type GatewayClient, type HomePaths } from '@subluminal/ipc';
import { errorOf, GatewaySession, Reports } from '@subluminal/mcp';
import type { Clock } from '../clock.js';
import { Denial } from './denial.js';
import type { ProxyLimits } from './limits.js';
import { type NetAsk, Opened, readDecision } from './opened.js';
import { RunMeter } from './run-meter.js';

/** The last reports of a run get so long. */
const FLUSH_MS = 1000;
/** An end waits so long for others, so that the next connection does not wait for its commit. */
const GATHER_MS = 10;
/** A run that asks for nothing keeps no connection to the gateway's socket for longer. */
const IDLE_MS = 300_000;

export interface RunLinkParts {
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly monotonic: () => number;
  readonly limits: ProxyLimits;
  /** What the run may still carry, as far as its connections have ended; null for no limit. */
  readonly bytesLeft: (runId: string) => number | null;
  readonly log: (line: string) => void;
  /** The run is over. */
  readonly onEnd: () => void;
}

/**
 * All that one run has open through the proxy, and its connection to the gateway's own socket, with its own key: the proxy
 * decides nothing, it asks, as every shim does.
 */
export class RunLink {
  readonly runId: string;
  readonly meter: RunMeter;
  readonly #parts: RunLinkParts;
  readonly #session: GatewaySession;
  readonly #reports: Reports;
  readonly #opened = new Set<Opened>();
  readonly #idle: (() => void)[] = [];
  /** Ends that are reported soon. */
  readonly #ends: NetEndPayload[] = [];
  #endsTimer: NodeJS.Timeout | undefined;
  #entered = 0;
  #usedAt: number;
  #isEnded = false;

  constructor(parts: RunLinkParts, credential: Credential) {
    this.#parts = parts;
    this.runId = credential.id;
    this.#usedAt = parts.monotonic();
    const { limits, monotonic } = parts;
    const bytesLeft = (): number | null => parts.bytesLeft(credential.id);
    this.meter = new RunMeter({ bytesPerSecond: limits.bytesPerSecond, bytesLeft }, monotonic);
    const nextId = createRequestIds();
    this.#session = new GatewaySession({
      connect: () => this.#connect(credential, nextId),
      introduce: () => Promise.resolve(),
      monotonic: parts.monotonic,
    });
    this.#reports = new Reports({
      session: this.#session,
      nextId,
      onIdle: () => {
        for (const done of this.#idle.splice(0)) done();
      },
      onLost: (why) => parts.log(`the end of a connection could not be recorded: ${why}`),
    });
    void this.#session.over.then(() => this.end());
  }

  get connections(): number {
    return this.#entered;
  }

  /** What was decided on and is not over. */
  get opened(): Iterable<Opened> {
    return this.#opened;
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
    const { serverName, via, host, port } = ask;
    const answer = await this.#session.request(
      'net.connect',
      { ...(serverName === undefined ? {} : { server_name: serverName }), via, host, port },
      false,
    );
    if (answer.status !== 'success') throw denialOf(answer);
    const decision = readDecision(answer.data);
    if (decision === undefined) throw new Denial('failed', 'the gateway did not say what may be dialled');
    const opened = new Opened(
      ask,
      decision,
      (payload: NetEndPayload) => {
        this.#opened.delete(opened);
        this.#ends.push(payload);
        this.#endsTimer ??= setTimeout(() => this.#reportEnds(), GATHER_MS);
      },
      this.#parts.monotonic,
    );
    this.#opened.add(opened);
    if (this.#isEnded) opened.cut('cut', new Denial('run_ended', 'the run has ended'));
    return opened;
  }

  /** Gives up the connection to the gateway's socket where nothing was asked for long. */
  sweep(now: number): void {
    const isIdle =
      this.#entered === 0 && this.#ends.length + this.#reports.size === 0 && now - this.#usedAt > IDLE_MS;
    if (isIdle) this.#session.drop();
  }

  /** The run is over, or the gateway stops: what is open is cut. Resolves when it was reported. */
  async end(why = new Denial('run_ended', 'the run has ended')): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const opened of this.#opened) opened.cut('cut', why);
    await this.#flush();
    this.#session.close();
    this.#parts.onEnd();
  }

  #reportEnds(): void {
    clearTimeout(this.#endsTimer);
    this.#endsTimer = undefined;
    for (const payload of this.#ends.splice(0)) {
      const bytes = payload.bytes_up + payload.bytes_down;
      this.#reports.add('net.end', payload, { onDone: () => this.meter.recorded(bytes) });
    }
  }

  /** Waits until every connection has said its end, and it was taken; not for long. */
  #flush(): Promise<void> {
    return new Promise((resolve) => {
      let isOver = false;
      const timer = setTimeout(() => {
        isOver = true;
        resolve();
      }, FLUSH_MS);
      const look = (): void => {
        if (isOver) return;
        this.#reportEnds();
        if (this.#opened.size > 0) setTimeout(look, 1);
        else if (this.#reports.size > 0) this.#idle.push(look);
        else {
          clearTimeout(timer);
          resolve();
        }
      };
      look();
    });
  }

  #connect(credential: Credential, nextId: () => string): Promise<GatewayClient> {
    const { paths, clock } = this.#parts;
    return connectGateway({
      socketPath: paths.socket,
      gatewayFile: paths.gatewayFile,
      credential,
      clock,
      nextId,
      onPush: (event) => {
        if (isEnd(event)) void this.end();
      },
    });
  }
}

function denialOf(answer: Parameters<typeof errorOf>[0]): Denial {
  const { code, message } = errorOf(answer);
  const retryMs = answer.error?.details?.['retry_after_ms'];
  return new Denial(code, message, {
    ...(answer.auditRef === '' ? {} : { auditRef: answer.auditRef }),
    ...(typeof retryMs === 'number' ? { retryAfter: Math.ceil(retryMs / 1000) } : {}),
  });
}

function isEnd(event: JsonValue): boolean {
  return typeof event === 'object' && event !== null && 'type' in event && event['type'] === 'run_ended';
}
