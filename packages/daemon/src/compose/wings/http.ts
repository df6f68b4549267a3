import type { ProcessIdentity } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { DEFAULT_LIMITS } from '@subluminal/mcp';
import type { Database } from 'better-sqlite3';
import type { Allowlist } from '@subluminal/net';
import {
  type Clock,
  type ConnectionBounds,
  type HeaderSecrets,
  type InnerAsker,
  type InnerSession,
  type KeyRing,
  type Logger,
  type RandomBytes,
  type Recorder,
  RefusedPeers,
  type RunRegistry,
  type Settings,
  Turns,
  type Wing,
} from '@subluminal/gateway';
import {
  Clients,
  DEFAULT_HTTP_LIMITS,
  HTTP_SECTION,
  type HttpActions,
  HttpDoor,
  HttpDoorStore,
  type HttpLimits,
  HttpServing,
  serveInWorld,
  socketTable,
  PeerProcesses,
  httpActions,
  httpData,
} from '@subluminal/remote';
import { type Dialer, KeptConnections } from '@subluminal/egress';
import { type HookServing, isHookPath } from '@subluminal/hooks-door';
import type { Server } from 'node:net';

/** What MCP over HTTP is wired from. */
export interface HttpFoundation {
  readonly db: Database;
  readonly settings: Pick<Settings, 'now' | 'of'>;
  readonly paths: HomePaths;
  readonly keys: KeyRing;
  /** Opens the session in which the gateway asks for a run; undefined where it does not live. */
  readonly openSession: (asker: InnerAsker, onEnd: () => void) => InnerSession | undefined;
  readonly registry: RunRegistry;
  readonly allowlist: Pick<Allowlist, 'generation'>;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Logger;
  readonly dialer: Dialer;
  readonly secrets: HeaderSecrets;
  /** Answers the hooks of clients, which come in by the same door. */
  readonly hooks: HookServing;
  readonly bounds: Pick<ConnectionBounds, 'http' | 'exchanges' | 'runExchanges'>;
  /** Other bounds: for tests. */
  readonly limits: Partial<HttpLimits> | undefined;
}

/** MCP over HTTP. */
export interface ComposedHttp extends Wing {
  readonly actions: HttpActions;
  readonly door: HttpDoor;
  readonly clients: Clients;
  /** Answers the clients of a world by that listener, at the door's own port. Gives how it is closed. */
  readonly serveInWorld: (given: {
    readonly listener: Server;
    readonly port: number;
    readonly runId: string;
    readonly holder: ProcessIdentity;
  }) => () => void;
}

/** Wires the door for HTTP with what answers behind it. */
export function composeHttp(from: HttpFoundation): ComposedHttp {
  const { db, settings, paths, keys, registry, allowlist, recorder, clock, random, log } = from;
  const { http: maxConnections, exchanges: maxExchanges, runExchanges: maxRunExchanges } = from.bounds;
  const bounds = { maxConnections, maxExchanges, maxRunExchanges };
  const limits = { ...DEFAULT_HTTP_LIMITS, ...bounds, ...from.limits };
  const refused = new RefusedPeers(recorder, clock);
  const turns = new Turns(() => performance.now());
  const peers = new PeerProcesses(turns);
  const clients = new Clients({ paths, keys, registry, peers, openSession: from.openSession });
  const serving = new HttpServing({
    paths,
    ledgerId: keys.ledgerId,
    clients,
    openSession: from.openSession,
    refused,
    line: { dialer: from.dialer, kept: new KeptConnections() },
    generation: () => allowlist.generation,
    secrets: from.secrets,
    monotonic: () => performance.now(),
    limits,
    session: {
      ...DEFAULT_LIMITS,
      get maxInspectBytes() {
        return settings.now.inspect.max_inspect_bytes;
      },
    },
    log,
  });
  const handle: HttpServing['handle'] = (request, response, at) => {
    if (isHookPath(request.url)) from.hooks.handle(request, response, at);
    else serving.handle(request, response, at);
  };
  const door = new HttpDoor({
    store: new HttpDoorStore(db),
    keys,
    random,
    configuredPort: settings.of(HTTP_SECTION)?.port,
    limits,
    refused,
    log,
    handle: (request, response, open) => handle(request, response, open),
  });
  const operated = { door, counts: () => serving.counts };
  return {
    name: 'http',
    actions: httpActions(operated),
    door,
    clients,
    serveInWorld: ({ holder, ...given }) =>
      serveInWorld({
        ...given,
        limits,
        refused,
        // A world holds nobody's processes but its own, whoever they are for the machine.
        peers: new PeerProcesses(turns, socketTable(`/proc/${holder.pid}/net`, undefined)),
        // While the operator has shut the door, it is shut in worlds, too.
        handle: (request, response, at) => {
          if (door.port === at.port) handle(request, response, at);
          else response.destroy();
        },
      }),
    status: () => httpData(operated),
    start: () => {
      serving.start();
      return door.resume();
    },
    stop: async () => {
      await door.stop();
      await serving.stop();
    },
  };
}
