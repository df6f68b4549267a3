import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:net';
import type { ClientDoor } from '@subluminal/gateway';
import { doorServer, type DoorServerParts, noUpgrade } from './door-server.js';
import { DoorSockets } from './door-sockets.js';
import { type PeerProcesses } from './peer-process.js';

/** Connections to the door in one world. */
const MAX_CONNECTIONS = 64;

/** A door inside of a world. */
export interface WorldDoorParts extends Omit<DoorServerParts, 'from' | 'sockets' | 'upgrade'> {
  /** Listens on that port of the world's own loopback. */
  readonly listener: Server;
  readonly port: number;
  readonly runId: string;
  /** Tells the processes of that world. */
  readonly peers: Pick<PeerProcesses, 'of'>;
  readonly handle: (request: IncomingMessage, response: ServerResponse, door: ClientDoor) => void;
}

/**
 * Answers the clients of one world at the address that they know from outside. Gives how it is closed, with
 * all that is under way.
 */
export function serveInWorld(parts: WorldDoorParts): () => void {
  const { handle, limits, listener, peers, port, refused, runId } = parts;
  const sockets = new DoorSockets(MAX_CONNECTIONS);
  const door: ClientDoor = {
    port,
    world: {
      runId,
      processOf: ({ remotePort }) =>
        remotePort === undefined ? Promise.resolve(undefined) : peers.of(remotePort, port),
    },
  };
  const server = doorServer(
    { from: 'world', limits, refused, sockets, upgrade: noUpgrade },
    (request, response) => handle(request, response, door),
  );
  // Too many open files, for one: it concerns one connection.
  server.on('error', () => refused.count('http_form'));
  server.listen(listener);
  return () => {
    server.close();
    listener.close();
    sockets.destroy();
  };
}
