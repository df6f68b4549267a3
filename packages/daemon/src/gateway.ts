import type { Socket } from 'node:net';
import type { HomePaths } from '@subluminal/ipc';
import type { Ledger } from '@subluminal/ledger';
import {
  SharedRoom,
  type Caller,
  type CallerWorld,
  type Clock,
  Connection,
  errorText,
  type FrameDoor,
  HandshakePace,
  type InnerDoor,
  type InnerAsker,
  InnerSession,
  type KeyRing,
  type Lifecycle,
  Listener,
  type Logger,
  type PeerLimits,
  type RandomBytes,
  type Reaper,
  type Recorder,
  RefusedPeers,
  type RejectionBuckets,
  type RunShare,
  RunShares,
  type RunRegistry,
  type RunSession,
  Session,
  type ShownIdentity,
  Turns,
  type Wing,
} from '@subluminal/gateway';
import { onceRecording } from './once-recording.js';

/** What a gateway consists of, wired by `compose/gateway.ts`. */
export interface GatewayParts {
  readonly paths: HomePaths;
  readonly keys: KeyRing;
  readonly random: RandomBytes;
  readonly clock: Clock;
  /** Milliseconds of a clock that only goes forward. */
  readonly monotonic: () => number;
  readonly limits: PeerLimits;
  readonly registry: RunRegistry;
  readonly frames: FrameDoor;
  readonly inner: InnerDoor;
  readonly ledger: Ledger;
  readonly recorder: Recorder;
  readonly rejections: RejectionBuckets;
  readonly reaper: Reaper;
  readonly log: Logger;
  /** Start in this order, before the wings, and stop after them in the reverse one. */
  readonly routines: readonly Lifecycle[];
  readonly wings: readonly Wing[];
  /** Closes ledger, databases and log. */
  readonly release: () => Promise<void>;
}

/** How long a shutdown waits for answers that are under way. */
const STOP_DEADLINE_MS = 5000;
/** What is kept for the operator: connections, and places for requests that are worked on. */
const OPERATOR_CONNECTIONS = 16;
const OPERATOR_PLACES = 32;

/** Connections to the door of one world, and those of them that have shown no key yet. */
const DOOR_CONNECTIONS = 64;
const DOOR_UNAUTHENTICATED = 16;

/** A door of the programs of one world. */
export interface WorldDoor {
  readonly runId: string;
  readonly world: CallerWorld;
  /** The socket's file. */
  readonly path: string;
}

/** What one run may take of memory, of requests that are worked on, and of the time. */
interface Shares {
  readonly bytes: SharedRoom;
  readonly places: SharedRoom;
  readonly pace: RunShare;
}

/** A gateway that serves its home until it is stopped. */
export class Gateway {
  readonly #parts: GatewayParts;
  readonly #listener: Listener;
  readonly #refused: RefusedPeers;
  readonly #budget: SharedRoom;
  readonly #turns: Turns;
  readonly #paces: RunShares;
  readonly #places: SharedRoom;
  readonly #shares = new WeakMap<object, Shares>();
  readonly #sessions = new Set<Session>();
  /** Worlds share it: what floods one door keeps nobody else waiting. */
  readonly #doorPace = new HandshakePace();
  /** Connections with the enrol key. */
  #enrolling = 0;
  #stopping: Promise<void> | undefined;
  #resolveStopped: (how: 'clean' | 'failed') => void = () => undefined;
  /** Resolves when the gateway has stopped, whoever stopped it. `failed`: its last entries may be missing. */
  readonly stopped: Promise<'clean' | 'failed'>;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
    this.stopped = new Promise((resolve) => {
      this.#resolveStopped = resolve;
    });
    this.#turns = new Turns(parts.monotonic);
    this.#paces = new RunShares(parts.monotonic);
    this.#budget = new SharedRoom(parts.limits.maxBytesInFlight, parts.limits.operatorReserveBytes);
    // No place is left once all are taken, and bytes may go beyond their limit by one request.
    this.#places = new SharedRoom(parts.limits.maxAllInFlight - 1, OPERATOR_PLACES);
    this.#refused = new RefusedPeers(parts.recorder, parts.clock);
    this.#listener = new Listener({
      keys: parts.keys,
      random: parts.random,
      limits: parts.limits,
      refused: this.#refused,
      pace: new HandshakePace(),
      admit: (socket, identity, rest) => this.#admit(socket, identity, rest, undefined),
      onError: (error) => parts.log.warn('the socket failed', { error: errorText(error) }),
    });
  }

  /** Connections that have shown a key. */
  get connections(): number {
    return this.#sessions.size;
  }

  /** Binds the socket and starts everything that goes on beside it. @throws SublError `failed`. */
  async listen(): Promise<void> {
    const { paths, routines, wings } = this.#parts;
    const begun: Lifecycle[] = [];
    try {
      await this.#listener.listen(paths.socket);
      for (const part of [...routines, ...wings]) {
        begun.push(part);
        await part.start();
      }
    } catch (error) {
      // Its ledger is closed next: a socket that is left would keep the process, and answer nobody.
      this.#listener.stop();
      this.#listener.destroy();
      await stopAll(begun);
      throw error;
    }
  }

  /** Begins to stop. `stopped` tells when it is done. */
  stopSoon(reason: string): void {
    setImmediate(() => {
      this.stop(reason).catch((error: unknown) => {
        this.#parts.log.error('the gateway did not stop cleanly', { error: errorText(error) });
      });
    });
  }

  /** Leaves a line in the log about an error that ends the process. */
  logCrash(error: unknown): void {
    const stack = error instanceof Error ? error.stack : undefined;
    this.#parts.log.error('the gateway crashes', { error: errorText(error), stack });
  }

  /**
   * Takes no more requests, answers those that are under way (for at most five seconds), writes
   * `gateway_stop` and the last head, removes the socket and closes everything. Runs go on: a restart finds
   * them while their holders live.
   */
  stop(reason: string): Promise<void> {
    this.#stopping ??= this.#stop(reason).then(
      () => this.#resolveStopped('clean'),
      (error: unknown) => {
        this.#resolveStopped('failed');
        throw error;
      },
    );
    return this.#stopping;
  }

  async #stop(reason: string): Promise<void> {
    const { log, recorder, ledger, clock, rejections, reaper, routines, wings } = this.#parts;
    log.info('gateway stops', { reason });
    this.#listener.stop();
    await stopAll(wings);
    const stopping = stopAll(routines);
    for (const session of this.#sessions) session.end();
    await this.#sessionsGone();
    this.#listener.destroy();
    await Promise.race([reaper.settled(), deadline(STOP_DEADLINE_MS)]);
    await stopping;
    this.#refused.flush();
    const dropped = rejections.drain();
    try {
      if (dropped !== undefined) await onceRecording(() => recorder.append(dropped));
      await onceRecording(() =>
        recorder.append({
          entries: [{ type: 'gateway_stop', ts: clock(), runId: null, data: { pid: process.pid, reason } }],
        }),
      );
      await onceRecording(() => ledger.flushHead('shutdown'));
    } finally {
      await this.#parts.release();
    }
  }

  async #sessionsGone(): Promise<void> {
    const until = performance.now() + STOP_DEADLINE_MS;
    while (this.#sessions.size > 0 && performance.now() < until) await pause(10);
  }

  /**
   * Opens a socket for the programs of one world. Whoever comes by it is of that run, or is turned away.
   * Gives how it is closed, with all that came by it. @throws SublError `failed`.
   */
  async openDoor({ runId, world, path }: WorldDoor): Promise<() => void> {
    const { keys, random, limits, log } = this.#parts;
    const listener = new Listener({
      keys,
      random,
      limits: { ...limits, maxConnections: DOOR_CONNECTIONS, maxUnauthenticated: DOOR_UNAUTHENTICATED },
      refused: this.#refused,
      pace: this.#doorPace,
      admit: (socket, identity, rest) =>
        identity.kind === 'run' && identity.id === runId && this.#admit(socket, identity, rest, world),
      onError: (error) => log.warn('the socket of a world failed', { error: errorText(error) }),
    });
    await listener.listen(path);
    return () => {
      listener.stop();
      listener.destroy();
    };
  }

  #admit(socket: Socket, identity: ShownIdentity, rest: Buffer, world: CallerWorld | undefined): boolean {
    const caller = this.#callerOf(identity, world);
    if (caller === undefined || this.#stopping !== undefined) return false;
    if (!this.#hasRoom(caller)) return false;
    const { frames, clock, log, limits } = this.#parts;
    const shares = this.#sharesOf(caller);
    const isOperator = caller.kind === 'operator';
    const connection = new Connection(socket, {
      limits,
      budgets: isOperator ? [this.#budget] : [this.#budget, shares.bytes],
      places: [this.#places, shares.places],
      turns: this.#turns,
      pace: isOperator ? undefined : shares.pace,
      operator: isOperator,
      events: {
        onFrame: (text, bytes) => session.receive(text, bytes),
        onFault: (error) => {
          log.info('a connection was dropped', { source: caller.source, error: errorText(error) });
          session.fault(error);
        },
      },
    });
    const session = new Session({
      caller,
      keys: identity.keys,
      connection,
      pipeline: frames,
      clock,
      maxFrameBytes: limits.maxFrameBytes,
      onFailure: (error) => log.error('a request failed', { source: caller.source, error: errorText(error) }),
    });
    caller.session = session;
    this.#sessions.add(session);
    if (caller.kind === 'enrol') this.#enrolling += 1;
    caller.run?.sessions.add(session);
    socket.once('close', () => {
      this.#sessions.delete(session);
      if (caller.kind === 'enrol') this.#enrolling -= 1;
      this.#forgetSession(caller, session, shares);
    });
    connection.take(rest);
    return true;
  }

  /**
   * Opens a session in which the gateway asks as that caller. One of a run ends with it; undefined where no
   * such run lives.
   */
  openInner(asker: InnerAsker, onEnd: () => void): InnerSession | undefined {
    const run = 'runId' in asker ? this.#parts.registry.live(asker.runId) : undefined;
    if ((run === undefined && 'runId' in asker) || this.#stopping !== undefined) return undefined;
    const { inner, clock, random } = this.#parts;
    const source = asker.kind === 'ui' ? `ui:${asker.session}` : (run?.id ?? asker.kind);
    const caller: Caller = { kind: asker.kind, source, run, world: undefined, session: undefined };
    const shares = this.#sharesOf(caller);
    const session = new InnerSession({
      caller,
      door: inner,
      clock,
      random,
      places: [this.#places, shares.places],
      turns: this.#turns,
      // An open page is the operator's: as a run that asks for little it would hold up every other one.
      pace: asker.kind === 'ui' ? undefined : shares.pace,
      onEnd: () => {
        this.#forgetSession(caller, session, shares);
        onEnd();
      },
    });
    caller.session = session;
    run?.sessions.add(session);
    return session;
  }

  #forgetSession({ kind, run }: Caller, session: RunSession, { pace }: Shares): void {
    run?.sessions.delete(session);
    const left = kind === 'enrol' ? this.#enrolling : run?.sessions.size;
    if (left === 0) pace.gone();
  }

  /**
   * Connections of one run share what one run may take; those of enrolment share it too, those of the
   * operator, and the sessions of the page.
   */
  #sharesOf(caller: Caller): Shares {
    const ofKind = { operator: this.#budget, ui: this.#places, enrol: this, gateway: this, run: this };
    const key = caller.run ?? ofKind[caller.kind];
    const known = this.#shares.get(key);
    if (known !== undefined) return known;
    const { maxRunBytes, maxRunInFlight } = this.#parts.limits;
    const shares = {
      bytes: new SharedRoom(maxRunBytes, 0),
      places: new SharedRoom(maxRunInFlight - 1, 0),
      pace: this.#paces.open(),
    };
    this.#shares.set(key, shares);
    return shares;
  }

  /** Some places are the operator's alone, and no run takes more than its share of the others. */
  #hasRoom(caller: Caller): boolean {
    const { maxConnections, maxRunConnections } = this.#parts.limits;
    if (caller.kind === 'run' && (caller.run?.sessions.size ?? 0) >= maxRunConnections) return false;
    if (caller.kind === 'enrol' && this.#enrolling >= maxRunConnections) return false;
    return (
      this.#sessions.size <
      (caller.kind === 'operator' ? maxConnections : maxConnections - OPERATOR_CONNECTIONS)
    );
  }

  /**
   * The caller of that identity, undefined where there is no such client. Only now, after the proof, is the
   * registry asked.
   */
  #callerOf({ kind, id, epoch }: ShownIdentity, world: CallerWorld | undefined): Caller | undefined {
    const { keys, registry } = this.#parts;
    if (!keys.isCurrent(epoch)) return undefined;
    if (kind !== 'run')
      return id === kind ? { kind, source: id, run: undefined, world, session: undefined } : undefined;
    const run = registry.live(id);
    return run === undefined ? undefined : { kind, source: run.id, run, world, session: undefined };
  }
}

/** Stops each after the ones that started behind it. */
async function stopAll(parts: readonly Lifecycle[]): Promise<void> {
  for (const part of parts.toReversed()) await part.stop();
}

/** A wait that does not keep the process: what it limits may be over long before. */
function deadline(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
