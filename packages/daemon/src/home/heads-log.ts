import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { type HomePaths, readStateHome } from '@subluminal/ipc';

/**
 * The place of the ledger's outside memory. It is as configured, else `subluminal/<ledger id>/heads.log` in
 * the state folder of the person who made the home, which is `~/.local/state` unless the home says otherwise.
 * It is outside of the home, so that a copy of the home that is put back contradicts it. No variable of the
 * gateway's environment moves it.
 */
export function headsLogPath(paths: HomePaths, configured: string | undefined, ledgerId: string): string {
  if (configured !== undefined) return configured;
  const folder = readStateHome(paths) ?? join(userHome(), '.local', 'state');
  return join(folder, 'subluminal', ledgerId, 'heads.log');
}

/**
 * Of the user database and not of `HOME`: whoever starts the gateway must not move its memory by an
 * environment.
 */
function userHome(): string {
  return process.platform === 'win32' ? homedir() : userInfo().homedir;
}
