import type { Socket } from 'node:net';
import type { Client } from 'undici';
import type { CheckedDestination } from './resolve.js';

/** A connection with the one client that speaks over it. */
export interface Connection {
  readonly client: Client;
  readonly socket: Socket;
}

/** Connections that wait, of one decision and of all. */
const MAX_OF_ONE = 4;
const MAX_OF_ALL = 256;

/**
 * Connections that wait for another request to where they lead. They are found by the decision itself, the
 * very object: one run, one server, the addresses and the allowlist of that moment. Another decision for the
 * same place finds none of them.
 */
export class KeptConnections {
  readonly #waiting = new Map<CheckedDestination, Connection[]>();
  /** Those whose end is waited for already: each is kept again after every request. */
  readonly #watched = new WeakSet<Connection>();
  readonly #dropped = new WeakSet<CheckedDestination>();
  #count = 0;

  /** How many wait. */
  get size(): number {
    return this.#count;
  }

  /** One that still stands, undefined where none does. It is the caller's from now on. */
  take(decided: CheckedDestination): Connection | undefined {
    const waiting = this.#waiting.get(decided) ?? [];
    // The newest is the one that its server has had the least time to give up.
    for (let one = waiting.at(-1); one !== undefined; one = waiting.at(-1)) {
      this.#remove(decided, one);
      if (isOpen(one)) return one;
      end(one);
    }
    return undefined;
  }

  /**
   * Keeps one until it is taken, dropped, or closed by its server or its client, whose idle time is short.
   */
  keep(decided: CheckedDestination, one: Connection): void {
    const waiting = this.#waiting.get(decided) ?? [];
    if (
      this.#dropped.has(decided) ||
      !isOpen(one) ||
      waiting.length >= MAX_OF_ONE ||
      this.#count >= MAX_OF_ALL
    ) {
      end(one);
      return;
    }
    waiting.push(one);
    this.#waiting.set(decided, waiting);
    this.#count += 1;
    if (this.#watched.has(one)) return;
    this.#watched.add(one);
    one.socket.once('close', () => this.#remove(decided, one));
  }

  /** Ends those of a decision that does not hold any more; what is still under way is not kept afterwards. */
  drop(decided: CheckedDestination): void {
    this.#dropped.add(decided);
    // Removing changes the list.
    for (const one of (this.#waiting.get(decided) ?? []).slice()) {
      this.#remove(decided, one);
      end(one);
    }
  }

  /** Ends all. */
  close(): void {
    for (const decided of this.#waiting.keys()) this.drop(decided);
  }

  #remove(decided: CheckedDestination, one: Connection): void {
    const waiting = this.#waiting.get(decided);
    const at = waiting?.indexOf(one) ?? -1;
    if (waiting === undefined || at === -1) return;
    waiting.splice(at, 1);
    this.#count -= 1;
    if (waiting.length === 0) this.#waiting.delete(decided);
  }
}

/**
 * Ends a connection at once. Requests under way end with the socket; nobody waits for the client's own end.
 */
export function end({ client, socket }: Connection): void {
  socket.destroy();
  client.destroy().catch(() => undefined);
}

function isOpen({ client, socket }: Connection): boolean {
  return !client.destroyed && !socket.destroyed && !socket.readableEnded && socket.writable;
}
