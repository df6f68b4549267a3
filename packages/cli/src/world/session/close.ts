import { type ProcessIdentity, SublError } from '@subluminal/core-types';
import { isAlive } from '@subluminal/ipc';
import { askToEnd } from './bring.js';
import type { openSessions } from './place.js';

/** A world that waits for commands. */
export type OpenSession = ReturnType<typeof openSessions>[number];

const POLL_MS = 20;
const CLOSE_MS = 10_000;

/** Asks the process that keeps it, and waits for its end. Throws `timed_out`. */
export async function closeSession({ holder }: OpenSession): Promise<void> {
  if (isAlive(holder)) process.kill(holder.pid, 'SIGTERM');
  await ended(holder);
}

/** Ends a world if nothing runs there. False: it goes on. Throws `timed_out` for one that does not end. */
export async function closeIfIdle({ holder, place }: OpenSession): Promise<boolean> {
  if (!(await askToEnd(place.door))) return !isAlive(holder);
  await ended(holder);
  return true;
}

async function ended(holder: ProcessIdentity): Promise<void> {
  const deadline = performance.now() + CLOSE_MS;
  while (isAlive(holder)) {
    if (performance.now() > deadline)
      throw new SublError('timed_out', `process ${holder.pid}, which keeps the world, does not end`, {
        help: `\`kill -9 ${holder.pid}\` ends it, and the world with it`,
      });
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
