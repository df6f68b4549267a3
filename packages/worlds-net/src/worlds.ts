import { type JsonObject, SublError } from '@subluminal/core-types';
import { errorText, type Logger, type RunRegistry, startTicking } from '@subluminal/gateway';
import type { WorldSettings } from '@subluminal/policy';
import { isAlive } from '@subluminal/ipc';
import type { Socket } from 'node:net';
import { type Doors, type Network, noDoors, type OwnNamespace } from './doors.js';
import { DoorPool } from './namespaces/pool.js';
import { type AskedSession, World, type WorldConnection, type WorldDoor, type WorldOwner } from './world.js';

/** Worlds at once, of all and of one run: each has five descriptors and a process. */
const MAX_WORLDS = 256;
const MAX_RUN_WORLDS = 32;
const SWEEP_MS = 500;

/** Why a world ended by itself: its starter, or the process that held its network, is gone. */
export type LossCause = 'starter_gone' | 'network_gone';

export interface WorldsParts {
  /** Makes a network. Throws `not_available`. */
  readonly openDoors: () => Promise<Doors>;
  /** Makes the door of a world that has no network of its own. Throws `not_available`. */
  readonly openNamedDoor: () => Promise<Doors>;
  /** Opens the session in which the gateway asks for a run; undefined where it does not live. */
  readonly openSession: (runId: string, onEnd: () => void) => AskedSession | undefined;
  /** Opens the gateway's door in the world of an agent. Throws `not_available`, `failed`. */
  readonly openDoor: (owner: WorldOwner, namespace: OwnNamespace) => Promise<WorldDoor>;
  readonly registry: Pick<RunRegistry, 'live'>;
  /** Rises with every change of the allowlist, and of the settings of worlds. */
  readonly generation: () => number;
  /** Finds the settings of a world by the policies of the moment. */
  readonly settings: (owner: WorldOwner) => WorldSettings;
  readonly carry: (client: Socket, connection: WorldConnection) => void;
  /** Counts what came of a world and is no question and no connection. */
  readonly onMalformed: () => void;
  /** A world was closed, and nobody will report its end. */
  readonly onLost: (owner: WorldOwner, cause: LossCause) => void;
  readonly monotonic: () => number;
  readonly log: Pick<Logger, 'error'>;
}

/** The worlds that are open. Each ends with its run, and all with the gateway. */
export class Worlds {
  readonly #parts: WorldsParts;
  readonly #pool: DoorPool;
  readonly #open = new Map<string, World>();
  /** The runs of those that are being opened. */
  readonly #opening: string[] = [];
  #stopTicking: () => void = () => undefined;

  constructor(parts: WorldsParts) {
    this.#parts = parts;
    this.#pool = new DoorPool(parts.openDoors, parts.monotonic);
  }

  get size(): number {
    return this.#open.size;
  }

  /** How many are open, and how many of them have which network. */
  status(): JsonObject {
    const networks = [...this.#open.values()].map((world) => world.doors.network);
    const of = (network: Network): number => networks.filter((one) => one === network).length;
    return { open: networks.length, full: of('full'), named: of('named'), any: of('any') };
  }

  /** Opens a world of a run, with that network. Throws `overloaded`, `run_ended`, `not_available`. */
  async open(owner: WorldOwner, network: Network): Promise<World> {
    const { openDoor, openSession, generation, carry, onMalformed, monotonic } = this.#parts;
    const { runId, hasDoor } = owner;
    const runs = [...[...this.#open.values()].map((world) => world.owner.runId), ...this.#opening];
    if (runs.length >= MAX_WORLDS || runs.filter((run) => run === runId).length >= MAX_RUN_WORLDS)
      throw new SublError('overloaded', 'too many worlds are open', { help: 'end some of them first' });
    this.#opening.push(runId);
    let doors: Doors;
    let door: WorldDoor | undefined;
    try {
      doors = await this.#doors(network);
      try {
        door = hasDoor ? await openDoor(owner, ownNamespaceOf(doors)) : undefined;
      } catch (error) {
        doors.close();
        throw error;
      }
    } finally {
      this.#opening.splice(this.#opening.indexOf(runId), 1);
    }
    const session = openSession(runId, () => this.close(owner.id));
    if (session === undefined) {
      door?.close();
      doors.close();
      throw new SublError('run_ended', 'the run has ended');
    }
    const settings = (): WorldSettings => this.#parts.settings(owner);
    const common = { session, generation, settings, monotonic, carry, onMalformed };
    const world = new World({ doors, door, owner, ...common });
    this.#open.set(owner.id, world);
    void doors.ended.then(() => this.#lose(world, 'network_gone'));
    return world;
  }

  /** How that world of that run may reach the network now; undefined where it is not open. */
  termsOf(id: string, runId: string): Pick<World, 'profile' | 'refusal'> | undefined {
    return this.find(id, runId);
  }

  #doors(network: Network): Promise<Doors> {
    if (network === 'full') return this.#pool.take();
    return network === 'named' ? this.#parts.openNamedDoor() : Promise.resolve(noDoors());
  }

  /** The world of that name, of that run. */
  find(id: string, runId: string): World | undefined {
    const world = this.#open.get(id);
    return world?.owner.runId === runId ? world : undefined;
  }

  /** Ends its network. Nothing happens where it is closed. */
  close(id: string): void {
    const world = this.#open.get(id);
    if (world === undefined) return;
    this.#open.delete(id);
    world.close();
  }

  /** Nothing happens where it is closed: its end was reported then. */
  #lose({ owner }: World, cause: LossCause): void {
    if (!this.#open.has(owner.id)) return;
    this.close(owner.id);
    this.#parts.onLost(owner, cause);
  }

  start(): void {
    const { log, registry } = this.#parts;
    this.#stopTicking = startTicking(
      SWEEP_MS,
      (error) => log.error('a routine failed', { routine: 'worlds', error: errorText(error) }),
      () => {
        this.#pool.sweep();
        for (const world of this.#open.values()) {
          const { owner } = world;
          const isLive = registry.live(owner.runId) !== undefined;
          const isLeft = owner.starter !== undefined && !isAlive(owner.starter);
          if (!isLive) this.close(owner.id);
          else if (isLeft) this.#lose(world, 'starter_gone');
        }
      },
    );
  }

  stop(): void {
    this.#stopTicking();
    this.#pool.stop();
    for (const id of this.#open.keys()) this.close(id);
  }
}

/** An agent there asks by a door that is in its network. Throws `not_available`. */
function ownNamespaceOf({ namespace }: Doors): OwnNamespace {
  if (namespace !== undefined) return namespace;
  throw new SublError('not_available', 'an agent in a world needs a network of its own', {
    help: '`sub world doctor` says why this machine gives none',
  });
}
