import type { Socket } from 'node:net';
import type { Allowlist } from '@subluminal/net';
import {
  type Clock,
  type InnerSession,
  type Logger,
  type Recorder,
  RefusedPeers,
  type RunRegistry,
  type Settings,
  type Wing,
} from '@subluminal/gateway';
import {
  openDoors,
  type WorldActions,
  worldActions,
  type WorldConnection,
  Worlds,
} from '@subluminal/worlds-net';

/** The parts that the network of worlds is wired from. */
export interface WorldsFoundation {
  readonly settings: Pick<Settings, 'now'>;
  /** Opens the session in which the gateway asks for a run; undefined where it does not live. */
  readonly openSession: (runId: string, onEnd: () => void) => InnerSession | undefined;
  readonly registry: RunRegistry;
  readonly allowlist: Pick<Allowlist, 'generation'>;
  /** Asks for a connection in the run's name, and carries it. */
  readonly carry: (client: Socket, connection: WorldConnection) => void;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The network of worlds. */
export interface ComposedWorlds extends Wing {
  readonly actions: WorldActions;
}

export function composeWorlds(from: WorldsFoundation): ComposedWorlds {
  const { allowlist, carry, clock, log, openSession, recorder, registry, settings } = from;
  const refused = new RefusedPeers(recorder, clock);
  const worlds = new Worlds({
    openDoors,
    openSession,
    registry,
    generation: () => allowlist.generation,
    carry,
    onMalformed: () => refused.count('world_form'),
    monotonic: () => performance.now(),
    log,
  });
  return {
    name: 'worlds',
    actions: worldActions({ worlds, problem: () => problemOf(settings.now.egress.mode) }),
    status: () => ({ open: worlds.size }),
    start: () => {
      worlds.start();
      return Promise.resolve();
    },
    stop: () => {
      worlds.stop();
      refused.flush();
      return Promise.resolve();
    },
  };
}

/** Why there is no world here. */
function problemOf(mode: 'observe' | 'enforce' | 'off'): string | undefined {
  if (process.platform !== 'linux') return `a world needs Linux, and this is \`${process.platform}\``;
  return mode === 'off' ? 'this gateway carries no connections: `[egress] mode` is `off`' : undefined;
}
