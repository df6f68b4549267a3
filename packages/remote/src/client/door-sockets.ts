import type { Socket } from 'node:net';

/**
 * The connections of a door. Every program of the machine can open some: where all places are taken, the one
 * that has been idle for longest makes room, and only where each has a request under way is a new one closed.
 * Nobody keeps a client out by connections that ask for nothing.
 */
export class DoorSockets {
  readonly #most: number;
  /** The requests that are under way on each. */
  readonly #open = new Map<Socket, number>();
  /** Those with none, the longest idle first. */
  readonly #idle = new Set<Socket>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a new connection, which counts as idle until a request of it has come. */
  take(socket: Socket): void {
    if (this.#open.size >= this.#most) {
      const [longest] = this.#idle;
      if (longest === undefined) {
        socket.destroy();
        return;
      }
      this.#forget(longest);
      longest.destroy();
    }
    this.#open.set(socket, 0);
    this.#idle.add(socket);
    socket.once('close', () => this.#forget(socket));
  }

  /** A request came by it. */
  asked(socket: Socket): void {
    const under = this.#open.get(socket);
    if (under === undefined) return;
    this.#open.set(socket, under + 1);
    this.#idle.delete(socket);
  }

  /** A request of it is over. */
  answered(socket: Socket): void {
    const under = this.#open.get(socket);
    if (under === undefined) return;
    this.#open.set(socket, under - 1);
    if (under === 1) this.#idle.add(socket);
  }

  destroy(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #forget(socket: Socket): void {
    this.#open.delete(socket);
    this.#idle.delete(socket);
  }
}
