import { readFileSync } from 'node:fs';

/** What a gateway has open that is no connection: databases, logs, the program's own. */
const OWN_FILES = 48;

/** How many connections there may be at once. */
export interface ConnectionBounds {
  /** Of the gateway's socket, before a key was shown and after. */
  readonly unauthenticated: number;
  readonly connections: number;
  /** Of the door for HTTP; requests that are open, each of which can have a connection to a server, of all and of one run. */
  readonly http: number;
  readonly exchanges: number;
  readonly runExchanges: number;
  /** Of the proxy, before a token was shown; after that each can have another one to its destination. */
  readonly strangers: number;
  readonly guests: number;
}

/**
 * The bounds for a process that may have `limit` files open: the doors for HTTP and for the proxy, to which every user of the
 * machine can connect, take at most five eighths of what there is, and the gateway's socket has a quarter. None is larger than
 * `most`. `limit` undefined: the system sets none.
 */
export function connectionBounds(limit: number | undefined, most: ConnectionBounds): ConnectionBounds {
  if (limit === undefined) return most;
  const room = Math.max(128, limit - OWN_FILES);
  const share = (part: number, bound: number): number => Math.min(bound, Math.floor(room * part));
  return {
    unauthenticated: share(1 / 16, most.unauthenticated),
    connections: share(3 / 16, most.connections),
    http: share(1 / 4, most.http),
    exchanges: share(1 / 8, most.exchanges),
    runExchanges: share(1 / 32, most.runExchanges),
    strangers: share(1 / 8, most.strangers),
    guests: share(1 / 16, most.guests),
  };
}

/** How many files this process may have open; undefined where the system does not say, or sets no limit. */
export function openFileLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch (error) {
    // Other systems than Linux.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
