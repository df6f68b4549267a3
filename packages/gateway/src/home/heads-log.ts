import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';

/**
 * Where the ledger's outside memory is: as configured, else `~/.local/state/subluminal/<ledger id>/heads.log`. Outside
 * of the home, so that a copy of the home that is put back contradicts it. No variable of the environment moves it.
 */
export function headsLogPath(configured: string | undefined, ledgerId: string): string {
  if (configured !== undefined) return configured;
  return join(userHome(), '.local', 'state', 'subluminal', ledgerId, 'heads.log');
}

/** Of the user database and not of `HOME`: whoever starts the gateway must not move its memory by an environment. */
function userHome(): string {
  return process.platform === 'win32' ? homedir() : userInfo().homedir;
}
