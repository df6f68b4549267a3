import type { Socket } from 'node:net';
import type { Database } from 'better-sqlite3';
import { type Allowlist, type OpenWorlds, type RunTraffic, isStillAllowed } from '@subluminal/net';
import {
  type Clock,
  type ConnectionBounds,
  type InnerSession,
  type KeyRing,
  type Logger,
  type ProxyPlace,
  type Recorder,
  RefusedPeers,
  type RunRegistry,
  type Settings,
  type StartConfig,
  Turns,
  type Wing,
} from '@subluminal/gateway';
import {
  Automata,
  FIXED_LIMITS,
  Injector,
  ProxyDoor,
  type ProxyLimits,
  ProxyPortStore,
  ProxyServing,
  Tokens,
  type WorldAsk,
} from '@subluminal/proxy';
import type { ComposedInjection } from '../inject.js';
import type { GatewayConfig } from '@subluminal/core-types';
import type { Dialer } from '@subluminal/egress';

/** What the proxy is wired from. */
export interface ProxyFoundation {
  readonly db: Database;
  readonly config: StartConfig;
  readonly settings: Pick<Settings, 'now'>;
  readonly keys: KeyRing;
  /** Opens the session in which the proxy asks for a run; undefined where it does not live. */
  readonly openSession: (runId: string, onEnd: () => void) => InnerSession | undefined;
  readonly registry: RunRegistry;
  readonly allowlist: Pick<Allowlist, 'generation' | 'find' | 'names'>;
  readonly worlds: OpenWorlds;
  readonly recorder: Recorder;
  readonly dialer: Pick<Dialer, 'openPlain' | 'connect'>;
  readonly injection: Pick<ComposedInjection, 'placeholders' | 'authorities'>;
  readonly traffic: Pick<RunTraffic, 'bytesLeft' | 'endLate' | 'onCut' | 'openCount'>;
  /** Learns where the proxy listens. */
  readonly place: ProxyPlace;
  readonly clock: Clock;
  readonly log: Logger;
  readonly bounds: Pick<ConnectionBounds, 'strangers' | 'guests'>;
  /** Other bounds: for tests. */
  readonly limits: Partial<ProxyLimits> | undefined;
}

/** The proxy, which also carries what programs in worlds connect to. */
export interface ComposedProxy extends Wing {
  handleWorld(client: Socket, asked: WorldAsk): void;
}

/** Wires the proxy's door with what serves behind it. */
export function composeProxy(from: ProxyFoundation): ComposedProxy {
  const {
    db,
    config,
    settings,
    keys,
    registry,
    allowlist,
    recorder,
    dialer,
    traffic,
    place,
    clock,
    log,
    worlds,
  } = from;
  const { egress } = config;
  const limitsOf = (now: GatewayConfig['egress']): ProxyLimits => ({
    ...FIXED_LIMITS,
    maxUnauthenticated: from.bounds.strangers,
    maxConnections: Math.min(from.bounds.guests, now.max_connections),
    maxRunConnections: now.max_run_connections,
    dialMs: now.timeout_ms,
    idleMs: now.idle_ms,
    bytesPerSecond: egress.max_bytes_per_second,
    ...from.limits,
  });
  // A connection asks several times, and settings are another object only once they have changed.
  let known = { of: settings.now.egress, limits: limitsOf(settings.now.egress) };
  const limits = (): ProxyLimits => {
    const of = settings.now.egress;
    if (known.of !== of) known = { of, limits: limitsOf(of) };
    return known.limits;
  };
  const serving = new ProxyServing({
    tokens: new Tokens(keys),
    openSession: from.openSession,
    registry,
    refused: new RefusedPeers(recorder, clock),
    dialer,
    injector: new Injector(
      from.injection.placeholders,
      from.injection.authorities,
      new Automata(new Turns(() => performance.now())),
    ),
    generation: () => allowlist.generation,
    isStillAllowed: (opened, runId) => {
      const { via, host, port, worldId } = opened.ask;
      const ask = { via, host, port, world_id: worldId };
      const { decision } = opened;
      return isStillAllowed(allowlist, worlds, { ask, runId, decision }, settings.now.egress.mode);
    },
    bytesLeft: (runId) => traffic.bytesLeft(runId),
    endLate: (runId, end) => traffic.endLate(runId, end),
    monotonic: () => performance.now(),
    limits,
    strict: () => settings.now.egress.mode === 'enforce',
    log,
  });
  traffic.onCut((runId) => serving.cut(runId));
  const door = new ProxyDoor({
    store: new ProxyPortStore(db),
    configuredPort: egress.proxy_port,
    log,
    handle: (client) => serving.handle(client),
  });
  const isOff = settings.now.egress.mode === 'off';
  return {
    name: 'proxy',
    actions: {},
    handleWorld: (client, asked) => serving.handleWorld(client, asked),
    status: () => ({ mode: settings.now.egress.mode, port: place.port, connections: traffic.openCount }),
    async start() {
      if (isOff) return;
      serving.start();
      await door.open();
      place.port = door.port ?? null;
    },
    async stop() {
      place.port = null;
      door.close();
      await serving.stop();
    },
  };
}
