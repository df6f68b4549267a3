import { readFileSync } from 'node:fs';

/** The open files of a gateway that are no connections: databases, logs, the program's own. */
const OWN_FILES = 48;

/** How many connections there may be at once. */
export interface ConnectionBounds {
  /** Of the gateway's socket, before a key was shown and after. */
  readonly unauthenticated: number;
  readonly connections: number;
  /**
   * Of the door for HTTP; and of its open requests, those of all runs and those of one. Each request can have
   * a connection to a server.
   */
  readonly http: number;
  readonly exchanges: number;
  readonly runExchanges: number;
  /** Of the proxy, before a token was shown; after that each can have another one to its destination. */
  readonly strangers: number;
  readonly guests: number;
}

/**
 * The bounds for a process that may have `limit` files open. Every user of the machine can connect to the
 * doors for HTTP and for the proxy: they take at most five eighths of the files. The gateway's socket has a
 * quarter. None is larger than `most`. `limit` is undefined where the system sets none.
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
