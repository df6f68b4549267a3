import type { Socket as UdpSocket } from 'node:dgram';
import type { Socket } from 'node:net';
import type { PayloadOf } from '@subluminal/core-types';
import type { InnerSession, Reply } from '@subluminal/gateway';
import { FakeAddresses, isFake } from './dns/names.js';
import { WorldResolver } from './dns/resolver.js';
import type { Doors } from './namespaces/doors.js';

/** A connection that a program of a world has opened, with the destination that it meant. */
export interface WorldConnection {
  readonly runId: string;
  readonly serverName: string | undefined;
  readonly host: string;
  readonly port: number;
}

/** Whose world it is. */
export interface WorldOwner {
  readonly id: string;
  readonly runId: string;
  readonly serverName: string | undefined;
}

/** The session in which a world asks for its names. */
export type AskedSession = Pick<InnerSession, 'end'> & {
  request(action: 'net.name', payload: PayloadOf<'net.name'>): Promise<Pick<Reply, 'status'>>;
};

export interface WorldParts {
  readonly doors: Doors;
  readonly owner: WorldOwner;
  readonly session: AskedSession;
  readonly generation: () => number;
  /** Asks for the connection in the run's name, and carries it. The socket is paused. */
  readonly carry: (client: Socket, connection: WorldConnection) => void;
  /** Something came that no program sends by accident. */
  readonly onMalformed: () => void;
}

/** The network of one world, as the gateway serves it: all that a program there can reach begins here. */
export class World {
  readonly owner: WorldOwner;
  readonly #parts: WorldParts;
  readonly #names = new FakeAddresses();
  readonly #resolver: WorldResolver;
  /** Its connections: a socket that is open outlives the listener, and the process that held the network. */
  readonly #clients = new Set<Socket>();
  #isClosed = false;

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.owner = parts.owner;
    const { doors, session, generation, onMalformed } = parts;
    const { serverName } = parts.owner;
    this.#resolver = new WorldResolver({
      names: this.#names,
      generation,
      onMalformed,
      mayKnow: async (host) => {
        const server = serverName === undefined ? {} : { server_name: serverName };
        return (await session.request('net.name', { ...server, host })).status === 'success';
      },
    });
    doors.tcp.on('connection', (client) => this.#take(client));
    doors.udp.on(
      'message',
      (datagram, { address, port }) => void this.#answer(doors.udp, datagram, address, port),
    );
  }

  get doors(): Doors {
    return this.#parts.doors;
  }

  close(): void {
    this.#isClosed = true;
    this.#parts.doors.close();
    for (const client of this.#clients) client.resetAndDestroy();
    this.#parts.session.end();
  }

  #take(client: Socket): void {
    client.on('error', () => undefined);
    this.#clients.add(client);
    client.once('close', () => this.#clients.delete(client));
    const { localAddress, localPort } = client;
    const destination = localAddress === undefined ? undefined : this.#destinationOf(localAddress);
    if (destination === undefined || localPort === undefined) {
      this.#parts.onMalformed();
      client.destroy();
      return;
    }
    const { runId, serverName } = this.owner;
    this.#parts.carry(client, { runId, serverName, host: destination, port: localPort });
  }

  /**
   * The name behind an address, or the address. Undefined for the door itself, which a program may look for,
   * and for an address that stands for no name.
   */
  #destinationOf(address: string): string | undefined {
    if (address.startsWith('127.') || address === OWN_ADDRESS) return undefined;
    return this.#names.nameOf(address) ?? (isFake(address) ? undefined : address);
  }

  async #answer(udp: UdpSocket, datagram: Buffer, address: string, port: number): Promise<void> {
    const answer = await this.#resolver.answer(datagram);
    // A world that was closed meanwhile has no socket, which would throw; a program that is gone needs none.
    if (answer !== undefined && !this.#isClosed) udp.send(answer, port, address, () => undefined);
  }
}

/** The address of the doors, as `namespaces/namespaces.pl` gives it. */
const OWN_ADDRESS = '10.99.0.2';
