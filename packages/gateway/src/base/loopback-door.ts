import type { Server } from 'node:net';

/** The one address that a door of the gateway listens on: nothing of it leaves the machine. */
export const LOOPBACK = '127.0.0.1';

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
