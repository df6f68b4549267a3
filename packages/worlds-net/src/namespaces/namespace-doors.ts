import type { Socket as UdpSocket } from 'node:dgram';
import type { Server, Socket } from 'node:net';
import type { Arrivals, Doors, OwnNamespace } from '../doors.js';

/** A network of its own, and its two doors. */
export interface Namespace extends OwnNamespace {
  /** Gives each connection that a program of the world opens, with the address that it meant. */
  readonly tcp: Server;
  /** Gives each question about a name. */
  readonly udp: UdpSocket;
  readonly ended: Promise<void>;
  readonly close: () => void;
}

/** The address of the doors, as `namespaces.pl` gives it. */
const OWN_ADDRESS = '10.99.0.2';

/** The doors of a network of its own. */
export function namespaceDoors({ holder, kept, listen, tcp, udp, ended, close }: Namespace): Doors {
  let isClosed = false;
  return {
    network: 'full',
    place: { holder: { pid: holder.pid, start: holder.start } },
    namespace: { holder, kept, listen },
    serve: (arrivals) => {
      tcp.off('connection', refuse);
      tcp.on('connection', (client: Socket) => take(client, arrivals));
      udp.on('message', (question, { address, port }) => {
        void arrivals.asked(question).then((answer) => {
          // A world that was closed meanwhile has no socket, which would throw; a program that is gone needs
          // none.
          if (answer !== undefined && !isClosed) udp.send(answer, port, address, () => undefined);
        });
      });
    },
    ended,
    close: () => {
      isClosed = true;
      close();
    },
  };
}

/** A connection to the door itself, which a program may look for, has no destination. */
function take(client: Socket, { connected, malformed }: Arrivals): void {
  client.on('error', () => undefined);
  const { localAddress: address, localPort: port } = client;
  if (address === undefined || port === undefined || address.startsWith('127.') || address === OWN_ADDRESS) {
    malformed();
    client.destroy();
    return;
  }
  connected(client, address, port);
}

/** Breaks off a connection for which it is too early. */
export function refuse(client: Socket): void {
  client.on('error', () => undefined);
  client.resetAndDestroy();
}
