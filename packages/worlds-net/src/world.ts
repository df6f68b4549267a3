import type { Socket } from 'node:net';
import { type PayloadOf, type ProcessIdentity, SublError } from '@subluminal/core-types';
import type { InnerSession, Reply } from '@subluminal/gateway';
import { type WorldSettings, worldSourceText } from '@subluminal/policy';
import { budgetSpent, WorldMeter } from './meter.js';
import { FakeAddresses, isFake } from './dns/names.js';
import { WorldResolver } from './dns/resolver.js';
import type { Doors } from './doors.js';

/** A connection that a program of a world has opened, with the destination that it meant. */
export interface WorldConnection {
  readonly worldId: string;
  readonly runId: string;
  readonly serverName: string | undefined;
  readonly host: string;
  readonly port: number;
  /** As `WorldMeter.spend`. */
  readonly spend: (bytes: number) => number;
}

/** Whose world it is. */
export interface WorldOwner {
  readonly id: string;
  readonly runId: string;
  readonly serverName: string | undefined;
  /** The shim of the server. */
  readonly shimId: string | undefined;
  /** With it the world ends; undefined: with the run alone. */
  readonly starter: ProcessIdentity | undefined;
  /** The folder that it may write. */
  readonly folder: string;
  /** Its programs may ask the gateway. */
  readonly hasDoor: boolean;
  /** The client whose own sandbox was turned off there. */
  readonly sandboxOff: 'claude' | 'codex' | undefined;
}

/** The session in which a world asks for its names. */
export type AskedSession = Pick<InnerSession, 'end'> & {
  request(action: 'net.name', payload: PayloadOf<'net.name'>): Promise<Pick<Reply, 'status'>>;
};

/** The gateway's answers to an agent there, besides its connections. */
export interface WorldDoor {
  /** The folder of the socket by which its servers and hooks ask: each gateway makes its own one there. */
  readonly folder: string;
  /** The port of the world's loopback at which hooks ask over HTTP; undefined if they do not. */
  readonly port: number | undefined;
  close(): void;
}

export interface WorldParts {
  readonly doors: Doors;
  /** Undefined where programs ask for nothing. */
  readonly door: WorldDoor | undefined;
  readonly owner: WorldOwner;
  /** The how manieth gateway of the world this one is, from 0 on. */
  readonly gateway: number;
  /** The bytes that its connections have carried before. */
  readonly spentBytes: number;
  readonly session: AskedSession;
  /** Rises with every change of the rules, and of the settings. */
  readonly generation: () => number;
  /** Finds its settings by the policies of the moment. */
  readonly settings: () => WorldSettings;
  /** Milliseconds of a clock that only goes forward. */
  readonly monotonic: () => number;
  /** Asks for the connection in the run's name, and carries it. The socket is paused. */
  readonly carry: (client: Socket, connection: WorldConnection) => void;
  /** Something came that no program sends by accident. */
  readonly onMalformed: () => void;
}

/** The network of one world, as the gateway serves it: all that a program there can reach begins here. */
export class World {
  readonly owner: WorldOwner;
  readonly gateway: number;
  readonly #parts: WorldParts;
  readonly #names: FakeAddresses;
  readonly #resolver: WorldResolver;
  /** Its connections: a socket that is open outlives the listener, and the process that held the network. */
  readonly #clients = new Set<Socket>();
  readonly #meter: WorldMeter;
  #known: { readonly generation: number; readonly settings: WorldSettings } | undefined;
  #isClosed = false;
  #isServed = false;

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.owner = parts.owner;
    this.gateway = parts.gateway;
    this.#names = new FakeAddresses(parts.gateway);
    const { session, generation, onMalformed } = parts;
    const { id, serverName } = parts.owner;
    this.#meter = new WorldMeter(() => this.settings.budget, parts.monotonic, parts.spentBytes);
    this.#resolver = new WorldResolver({
      names: this.#names,
      generation,
      onMalformed,
      mayKnow: async (host) => {
        const server = serverName === undefined ? {} : { server_name: serverName };
        return (await session.request('net.name', { ...server, world_id: id, host })).status === 'success';
      },
    });
  }

  /**
   * Begins to answer. Called once, when the beginning of the world is durable: before it the doors break off
   * whatever comes, since programs of a world that had another gateway ask already.
   */
  serve(): void {
    this.#isServed = true;
    const { doors, onMalformed } = this.#parts;
    doors.serve({
      connected: (client, address, port) => this.#take(client, address, port),
      asked: async (question) => {
        const answer = await this.#resolver.answer(question);
        return this.#isClosed ? undefined : answer;
      },
      malformed: onMalformed,
    });
  }

  /** Its beginning is durable. */
  get isServed(): boolean {
    return this.#isServed;
  }

  get doors(): Doors {
    return this.#parts.doors;
  }

  /** Its settings, under the rules of the moment. */
  get settings(): WorldSettings {
    const generation = this.#parts.generation();
    if (this.#known?.generation === generation) return this.#known.settings;
    const settings = this.#parts.settings();
    this.#known = { generation, settings };
    return settings;
  }

  get profile(): string | undefined {
    return this.settings.profile;
  }

  /** Why nobody there may reach that host now, a canonical name or address; undefined where somebody may. */
  refusal(host: string): SublError | undefined {
    const narrower = this.settings.hosts.find(({ allowed }) => !allowed.has(host));
    if (narrower !== undefined)
      return new SublError(
        'world_refused',
        `\`${host}\` is not among the hosts that ${worldSourceText(narrower)} leaves to this world`,
      );
    return this.#meter.isSpent ? budgetSpent() : undefined;
  }

  /** The bytes that its connections have carried. */
  get spentBytes(): number {
    return this.#meter.spent;
  }

  get door(): WorldDoor | undefined {
    return this.#parts.door;
  }

  close(): void {
    this.#isClosed = true;
    this.#parts.door?.close();
    this.#parts.doors.close();
    for (const client of this.#clients) client.resetAndDestroy();
    this.#parts.session.end();
  }

  #take(client: Socket, address: string, port: number): void {
    client.on('error', () => undefined);
    this.#clients.add(client);
    client.once('close', () => this.#clients.delete(client));
    // The name behind an address, or the address; of those that stand for names no other one is a place.
    const host = this.#names.nameOf(address) ?? (isFake(address) ? undefined : address);
    if (host === undefined || this.#isClosed) {
      this.#parts.onMalformed();
      client.destroy();
      return;
    }
    const { id: worldId, runId, serverName } = this.owner;
    const spend = (bytes: number): number => this.#meter.spend(bytes);
    this.#parts.carry(client, { worldId, runId, serverName, host, port, spend });
  }
}
