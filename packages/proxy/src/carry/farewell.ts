import type { Socket } from 'node:net';

/**
 * Says the last words to a client and leaves when it has read them. What it still sends is read and dropped,
 * since a connection that is closed over unread bytes is broken off, and the words are lost with it.
 */
export function farewell(client: Socket, last: Buffer | undefined, lingerMs: number): void {
  if (client.destroyed) return;
  const timer = setTimeout(() => client.destroy(), lingerMs);
  client.once('close', () => clearTimeout(timer));
  if (!client.writableEnded) {
    if (last === undefined) client.end();
    else client.end(last);
  }
  client.resume();
}
