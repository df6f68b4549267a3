import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSublError, SublError } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import type { Allowlist, OpenWorlds } from '@subluminal/net';
import { type WorldSettings, worldSettings } from '@subluminal/policy';
import {
  type CallerWorld,
  type Clock,
  type InnerSession,
  type Logger,
  narrowingOf,
  type PolicyHolder,
  type Projects,
  type RandomBytes,
  type Recorder,
  RefusedPeers,
  type RunRegistry,
  type Settings,
  type Wing,
} from '@subluminal/gateway';
import {
  type LossCause,
  type OwnNamespace,
  openDoors,
  openNamedDoor,
  takeOverDoors,
  type WorldActions,
  worldActions,
  type WorldConnection,
  type WorldDoor,
  type WorldOwner,
  worldFiles,
  WORLD_SECTION,
  Worlds,
  type WorldStore,
} from '@subluminal/worlds-net';
import type { ComposedHttp } from './http.js';

/** The parts that the network of worlds is wired from. */
export interface WorldsFoundation {
  readonly settings: Pick<Settings, 'now' | 'of'>;
  /** Opens the session in which the gateway asks for a run; undefined where it does not live. */
  readonly openSession: (runId: string, onEnd: () => void) => InnerSession | undefined;
  readonly registry: RunRegistry;
  readonly allowlist: Pick<Allowlist, 'generation' | 'renew'>;
  readonly policy: Pick<PolicyHolder, 'current' | 'onChange'>;
  readonly projects: Pick<Projects, 'of' | 'onChange'>;
  /** The home of the account. */
  readonly home: string;
  /** Asks for a connection in the run's name, and carries it. */
  readonly carry: (client: Socket, connection: WorldConnection) => void;
  readonly paths: Pick<HomePaths, 'agentDoorsDir'>;
  /** Opens the socket of one world's programs. */
  readonly openDoor: (door: {
    readonly runId: string;
    readonly world: CallerWorld;
    readonly path: string;
  }) => Promise<() => void>;
  /** The port of the door for HTTP, while it is open, and how it is answered in a world. */
  readonly http: { readonly port: () => number | undefined } & Pick<ComposedHttp, 'serveInWorld'>;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Logger;
}

/** The network of worlds. */
export interface ComposedWorlds extends Wing {
  readonly actions: WorldActions;
  readonly open: OpenWorlds;
}

export function composeWorlds(from: WorldsFoundation): ComposedWorlds {
  const {
    allowlist,
    carry,
    clock,
    log,
    openSession,
    policy,
    projects,
    random,
    recorder,
    registry,
    settings,
  } = from;
  const refused = new RefusedPeers(recorder, clock);
  const store = worldFiles(from.paths.agentDoorsDir);
  const worlds = new Worlds({
    openDoors,
    takeOverDoors,
    store,
    openNamedDoor: () => openNamedDoor(random),
    openSession,
    openDoor: (owner, namespace, hooksPort) => openWorldDoor(from, store, { owner, namespace, hooksPort }),
    registry,
    generation: () => allowlist.generation,
    settings: (owner) => settingsOf(from, owner),
    carry,
    onMalformed: () => refused.count('world_form'),
    onLost: (owner, cause) => void recordLost({ recorder, clock, log }, owner, cause),
    monotonic: () => performance.now(),
    log,
  });
  // Names are asked for again, and connections that are open are judged again.
  const renew = (): void => {
    if (worlds.size > 0) allowlist.renew();
  };
  const stopListening = [policy.onChange(renew), projects.onChange(renew)];
  return {
    name: 'worlds',
    open: worlds,
    actions: worldActions({
      worlds,
      problem: () => problemOf(settings.now.egress.mode),
      weakest: () => settings.of(WORLD_SECTION).require,
    }),
    status: () => ({ require: settings.of(WORLD_SECTION).require, ...worlds.status() }),
    start: () => {
      worlds.start();
      return Promise.resolve();
    },
    stop: () => {
      for (const stop of stopListening) stop();
      worlds.stop();
      refused.flush();
      return Promise.resolve();
    },
  };
}

/** The settings of a world now, by the policy of the home and by those that narrow it for the run. */
function settingsOf(
  { policy, projects, registry, home }: WorldsFoundation,
  { runId, serverName, folder }: WorldOwner,
): WorldSettings {
  const run = registry.live(runId);
  if (run === undefined) throw new SublError('run_ended', 'the run has ended');
  const asked = { server: serverName, folder, home, tmp: tmpdir() };
  return worldSettings(policy.current.snapshot, narrowingOf(projects, run), asked);
}

/** The world that a door is for, and where the clients there know that for hooks. */
interface DoorOf {
  readonly owner: WorldOwner;
  readonly namespace: OwnNamespace;
  readonly hooksPort: number | undefined;
}

/** As a world knows it. */
const SOCKET_NAME = 's';

/** Opens what the run's own program in a world asks by: a socket, and the door for HTTP on its loopback. */
async function openWorldDoor(
  { http, openDoor }: Pick<WorldsFoundation, 'http' | 'openDoor'>,
  store: WorldStore,
  { owner: { id, runId }, namespace: { holder, listen }, hooksPort }: DoorOf,
): Promise<WorldDoor> {
  const port = http.port();
  // At any other place a program of the world could answer the hooks of its clients.
  if (hooksPort !== undefined && port !== hooksPort)
    throw new SublError('not_available', `the gateway’s door for hooks is not at port ${hooksPort} now`);
  const folder = store.makeFolder(id);
  const path = join(folder, SOCKET_NAME);
  // That of the gateway before, behind which nobody is.
  rmSync(path, { force: true });
  const closeSocket = await openDoor({ runId, world: { id, holder }, path });
  if (port === undefined) return { folder, port, close: closeSocket };
  try {
    const closeHttp = http.serveInWorld({ listener: await listen(port), port, runId, holder });
    return {
      folder,
      port,
      close: () => {
        closeHttp();
        closeSocket();
      },
    };
  } catch (error) {
    closeSocket();
    throw error;
  }
}

/** Records the end of a world that nobody will report. */
async function recordLost(
  { recorder, clock, log }: Pick<WorldsFoundation, 'recorder' | 'clock' | 'log'>,
  { id, runId }: WorldOwner,
  cause: LossCause,
): Promise<void> {
  try {
    await recorder.append({
      entries: [{ type: 'world_end', ts: clock(), runId, data: { world_id: id, cause } }],
    });
  } catch (error) {
    // The run has ended meanwhile, and nothing follows its end; or the recorder has told the log.
    if (!isSublError(error)) throw error;
    log.info('the end of a world was not recorded', { world: id, error: error.message });
  }
}

/** Why there is no world here. */
function problemOf(mode: 'observe' | 'enforce' | 'off'): string | undefined {
  if (process.platform !== 'linux') return `a world needs Linux, and this is \`${process.platform}\``;
  return mode === 'off' ? 'this gateway carries no connections: `[egress] mode` is `off`' : undefined;
}
