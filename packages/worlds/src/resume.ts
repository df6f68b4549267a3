import { isSublError, type ProcessIdentity, type SublError } from '@subluminal/core-types';
import type { AskRun } from './open.js';

/** Less than a new gateway waits for the worlds of the one before: then it takes our word of the end. */
const PATIENCE_MS = 20_000;
const FIRST_AGAIN_MS = 250;
const MAX_AGAIN_MS = 4000;

/** A world that runs, and how a gateway is asked to serve it. */
export interface ServedWorld {
  readonly id: string;
  /** The process that was spawned for it, which is in its network; undefined if it has ended. */
  readonly inside: ProcessIdentity | undefined;
  readonly ask: AskRun;
  /** Whether there is a connection now. If not, the first one that is told of is not to a new gateway. */
  readonly isConnected: boolean;
  /** Whether it has ended: then nobody is asked. */
  readonly isOver: () => boolean;
  /** No gateway will serve it any more. */
  readonly lost: (why: SublError) => void;
}

/**
 * Has every gateway that comes serve a world that the one before it had. `connected` is to be called for each
 * connection to a gateway.
 */
export function serveAgain(world: ServedWorld): {
  readonly connected: () => void;
  readonly over: () => void;
} {
  let isFirst = !world.isConnected;
  let asking: Promise<void> | undefined;
  return {
    connected: () => {
      if (!isFirst) asking ??= resume(world).finally(() => (asking = undefined));
      isFirst = false;
    },
    over: () => undefined,
  };
}

async function resume({ ask, id, inside, isOver, lost }: ServedWorld): Promise<void> {
  if (inside === undefined) return;
  const until = performance.now() + PATIENCE_MS;
  for (let pauseMs = FIRST_AGAIN_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_AGAIN_MS)) {
    try {
      await ask('world.resume', { world_id: id, inside });
      return;
    } catch (error) {
      if (!isSublError(error)) throw error;
      if (isOver()) return;
      // A gateway that stops, or has no room, refuses, too. This alone says that there is no such world.
      if (error.code === 'not_found' || performance.now() > until) return lost(error);
    }
    await new Promise((again) => setTimeout(again, pauseMs));
  }
}
