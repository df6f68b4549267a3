import { existsSync, mkdirSync } from 'node:fs';
import { assertHome, writeStateHome, type HomePaths } from '@subluminal/ipc';
import type { Call } from '../program/call.js';

/**
 * Makes the home folder (0700) unless it is there, and checks that it is ours alone: `home_unsafe` otherwise.
 * Only the verbs that may begin a home call this. The gateway makes everything in it, except the note of
 * where this home keeps state outside of itself.
 */
export function createHome({ home, session }: Pick<Call, 'home' | 'session'>): void {
  mkdirSync(home.home, { recursive: true, mode: 0o700 });
  assertHome(home);
  const { ownStateHome } = session.environment;
  if (ownStateHome === undefined || !isNew(home)) return;
  writeStateHome(home, ownStateHome);
}

/** No gateway has begun a ledger in it yet. Keys that are left speak of one, and so lead to its memory. */
function isNew({ gatewayDb, keysDir, ledgerDb, stateHome }: HomePaths): boolean {
  return [gatewayDb, keysDir, ledgerDb, stateHome].every((path) => !existsSync(path));
}
