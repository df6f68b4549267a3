import { type JsonObject, type ProcessIdentity, SublError } from '@subluminal/core-types';
import { errorText, type Logger, type RunRegistry, startTicking } from '@subluminal/gateway';
import type { WorldSettings } from '@subluminal/policy';
import { isAlive } from '@subluminal/ipc';
import type { Socket } from 'node:net';
import { MAX_GATEWAYS } from './dns/names.js';
import { type Doors, type KeptNetwork, type Network, noDoors, type OwnNamespace } from './doors.js';
import type { KeptWorld } from './kept/kept-world.js';
import { LeftWorlds } from './kept/left-worlds.js';
import type { WorldStore } from './kept/world-files.js';
import { DoorPool } from './namespaces/pool.js';
import { type AskedSession, World, type WorldConnection, type WorldDoor, type WorldOwner } from './world.js';

/** Worlds at once, of all and of one run: each has five descriptors and a process. */
const MAX_WORLDS = 256;
const MAX_RUN_WORLDS = 32;
const SWEEP_MS = 500;
/** So long a world of the gateway before is waited for: its starter looks for a gateway every second. */
const RESUME_MS = 30_000;

/**
 * Why a world ended by itself: its starter, the process that held its network, or the gateway before is gone,
 * and nobody wanted it from this one.
 */
export type LossCause = 'starter_gone' | 'network_gone' | 'gateway_gone';

export interface WorldsParts {
  /** Makes a network. Throws `not_available`. */
  readonly openDoors: () => Promise<Doors>;
  /** Makes new doors in the network of a world, which that process is in. Throws `not_available`. */
  readonly takeOverDoors: (network: KeptNetwork, inside: ProcessIdentity) => Promise<Doors>;
  /** Keeps what the next gateway has to know. */
  readonly store: WorldStore;
  /** Makes the door of a world that has no network of its own. Throws `not_available`. */
  readonly openNamedDoor: () => Promise<Doors>;
  /** Opens the session in which the gateway asks for a run; undefined where it does not live. */
  readonly openSession: (runId: string, onEnd: () => void) => AskedSession | undefined;
  /**
   * Opens the gateway's door in the world of an agent; `hooksPort` is where the clients there know it.
   * Throws `not_available`, `failed`.
   */
  readonly openDoor: (
    owner: WorldOwner,
    namespace: OwnNamespace,
    hooksPort: number | undefined,
  ) => Promise<WorldDoor>;
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

/**
 * The worlds that are open. Each ends with its run. Its network ends with the gateway, and the next one may
 * serve it again.
 */
export class Worlds {
  readonly #parts: WorldsParts;
  readonly #pool: DoorPool;
  readonly #open = new Map<string, World>();
  /** The runs of those that are being opened. */
  readonly #opening: string[] = [];
  readonly #left: LeftWorlds<World>;
  #leftUntil = Infinity;
  /** The spent bytes that the next gateway knows of. */
  readonly #told = new WeakMap<World, number>();
  #stopTicking: () => void = () => undefined;

  constructor(parts: WorldsParts) {
    this.#parts = parts;
    this.#pool = new DoorPool(parts.openDoors, parts.monotonic);
    this.#left = new LeftWorlds(leftIn(parts));
  }

  get size(): number {
    return this.#open.size;
  }

  /** How many are open, how many of them have which network, and how many the next gateway can serve. */
  status(): JsonObject {
    const all = [...this.#open.values()];
    const of = (network: Network): number => all.filter(({ doors }) => doors.network === network).length;
    const lasting = all.filter(
      ({ doors, gateway }) => doors.namespace?.kept !== undefined && gateway + 1 < MAX_GATEWAYS,
    ).length;
    return { open: all.length, full: of('full'), named: of('named'), any: of('any'), lasting };
  }

  /** Opens a world of a run, with that network. Throws `overloaded`, `run_ended`, `not_available`. */
  async open(owner: WorldOwner, network: Network): Promise<World> {
    try {
      const before = { gateway: 0, spentBytes: 0, hooksPort: undefined };
      return await this.#begin(owner, () => this.#doors(network), before);
    } catch (error) {
      this.#parts.store.remove(owner.id);
      throw error;
    }
  }

  /**
   * Opens a world of the gateway before this one again; that process is in its network. One that is open is
   * given as it is. Throws `not_found` if the run has left none of that name, or it was waited for long
   * enough, and as `open`.
   */
  async resume(id: string, runId: string, inside: ProcessIdentity): Promise<World> {
    const open = this.find(id, runId);
    return open ?? this.#left.open(id, runId, (next) => this.#reopen(next, inside));
  }

  async #reopen(next: KeptWorld, inside: ProcessIdentity): Promise<World> {
    const { network, owner } = next;
    const world = await this.#begin(owner, () => this.#parts.takeOverDoors(network, inside), next);
    if (this.#left.remove(owner.id)) return world;
    // It has ended meanwhile, and that is recorded.
    this.close(owner.id);
    throw new SublError('not_found', 'the world has ended');
  }

  /**
   * Has a world answer, now that its beginning is recorded, and tells the next gateway of it. One that had
   * another gateway is lost if that cannot be told: the one after this would give its addresses out again.
   * Throws `not_available` if nobody serves it.
   */
  serve(id: string): void {
    const world = this.#open.get(id);
    if (world?.isServed === true) return;
    if (world !== undefined && !this.#keep(world) && world.gateway > 0) this.#lose(world, 'network_gone');
    if (world === undefined || !this.#open.has(id))
      throw new SublError('not_available', 'the world ended before it was served');
    world.serve();
  }

  /** A world whose beginning was not recorded is as it was before. */
  abandon(id: string): void {
    const world = this.#open.get(id);
    if (world === undefined || world.isServed) return;
    const { door, doors, gateway, owner, spentBytes } = world;
    const network = doors.namespace?.kept;
    if (gateway === 0 || network === undefined) return this.close(id);
    this.#open.delete(id);
    world.close();
    this.#left.giveBack({ owner, network, gateway: gateway - 1, spentBytes, hooksPort: door?.port });
  }

  /** Whether the next gateway knows of it, as far as one can serve it. */
  #keep({ door, doors, gateway, owner, spentBytes }: World): boolean {
    const network = doors.namespace?.kept;
    if (network === undefined) return true;
    const { log, store } = this.#parts;
    try {
      store.put({ owner, network, gateway, spentBytes, hooksPort: door?.port });
      return true;
    } catch (error) {
      log.error('the next gateway will not know of a world', { error: errorText(error) });
      return false;
    }
  }

  async #begin(
    owner: WorldOwner,
    make: () => Promise<Doors>,
    { gateway, hooksPort, spentBytes }: Pick<KeptWorld, 'gateway' | 'hooksPort' | 'spentBytes'>,
  ): Promise<World> {
    const { openDoor, openSession, generation, carry, onMalformed, monotonic } = this.#parts;
    const { runId, hasDoor } = owner;
    const runs = [...[...this.#open.values()].map((world) => world.owner.runId), ...this.#opening];
    if (runs.length >= MAX_WORLDS || runs.filter((run) => run === runId).length >= MAX_RUN_WORLDS)
      throw new SublError('overloaded', 'too many worlds are open', { help: 'end some of them first' });
    this.#opening.push(runId);
    let doors: Doors;
    let door: WorldDoor | undefined;
    try {
      doors = await make();
      try {
        door = hasDoor ? await openDoor(owner, ownNamespaceOf(doors), hooksPort) : undefined;
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
    const world = new World({ doors, door, owner, gateway, spentBytes, ...common });
    this.#open.set(owner.id, world);
    void doors.ended.then(() => {
      // One that was given back waits for its next try: its doors are gone, and it is not.
      if (this.#open.get(owner.id) === world) this.#lose(world, 'network_gone');
    });
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

  /** Whether that run has a world of that name, be it one that the gateway before has left. */
  isOf(id: string, runId: string): boolean {
    return (this.find(id, runId) ?? this.#left.find(id))?.owner.runId === runId;
  }

  /** Ends its network. Nothing happens where it is closed. */
  close(id: string): void {
    const world = this.#open.get(id);
    const wasLeft = this.#left.remove(id);
    if (world === undefined && !wasLeft) return;
    this.#open.delete(id);
    world?.close();
    this.#parts.store.remove(id);
  }

  /** Nothing happens where it is closed: its end was reported then. */
  #lose({ owner }: Pick<World, 'owner'>, cause: LossCause): void {
    if (!this.isOf(owner.id, owner.runId)) return;
    this.close(owner.id);
    this.#parts.onLost(owner, cause);
  }

  start(): void {
    const { log, monotonic } = this.#parts;
    this.#leftUntil = monotonic() + RESUME_MS;
    this.#stopTicking = startTicking(
      SWEEP_MS,
      (error) => log.error('a routine failed', { routine: 'worlds', error: errorText(error) }),
      () => this.#sweep(),
    );
  }

  /** Every world goes on: those that this gateway has open lose their network until there is another one. */
  stop(): void {
    this.#stopTicking();
    this.#pool.stop();
    const all = [...this.#open.values()];
    // First: the end of its session is not the end of the world.
    this.#open.clear();
    for (const world of all) {
      if (world.isServed) this.#keep(world);
      world.close();
    }
  }

  #sweep(): void {
    const { monotonic, registry } = this.#parts;
    this.#pool.sweep();
    for (const world of [...this.#open.values(), ...this.#left.all]) {
      const { owner } = world;
      if (registry.live(owner.runId) === undefined) this.close(owner.id);
      else if (owner.starter !== undefined && !isAlive(owner.starter)) this.#lose(world, 'starter_gone');
    }
    for (const world of this.#open.values()) {
      if (!world.isServed) continue;
      if (world.settings.budget.totalBytes === undefined || world.spentBytes === this.#told.get(world))
        continue;
      this.#told.set(world, world.spentBytes);
      this.#keep(world);
    }
    if (monotonic() < this.#leftUntil) return;
    for (const kept of this.#left.all) this.#lose(kept, 'gateway_gone');
  }
}

/** A folder that is not as it was made holds none. */
function leftIn({ log, store }: WorldsParts): readonly KeptWorld[] {
  try {
    return store.left();
  } catch (error) {
    log.error('the worlds of the gateway before are not known', { error: errorText(error) });
    return [];
  }
}

/** An agent there asks by a door that is in its network. Throws `not_available`. */
function ownNamespaceOf({ namespace }: Doors): OwnNamespace {
  if (namespace !== undefined) return namespace;
  throw new SublError('not_available', 'an agent in a world needs a network of its own', {
    help: '`sub world doctor` says why this machine gives none',
  });
}
