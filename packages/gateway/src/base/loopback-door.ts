import type { Server, Socket } from 'node:net';
import type { ProcessIdentity } from '@subluminal/core-types';

/** The one address that a door of the gateway listens on: nothing of it leaves the machine. */
export const LOOPBACK = '127.0.0.1';

/** A door by which clients ask over HTTP: that of the gateway, and one inside of each world of a run. */
export type ClientDoor = {
  /** By which a client names it. */
  readonly port: number;
} & (
  | {
      /** By which a client without a token of its own run is let in. */
      readonly enrolToken: string;
    }
  | {
      /** All who come by it are of that run, whatever they show. */
      readonly world: {
        readonly runId: string;
        /** The process at the other end; undefined where it is gone. */
        readonly processOf: (socket: Socket) => Promise<ProcessIdentity | undefined>;
      };
    }
);

/**
 * Listens on a port of 127.0.0.1 alone; 0 takes a free one. Returns the port. Rejects with the system's
 * error, as where somebody else has the port.
 */
export function listenOnLoopback(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: LOOPBACK, port, exclusive: true, backlog: 1024 }, () => {
      server.off('error', reject);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('no port was given'));
      else resolve(address.port);
    });
  });
}
