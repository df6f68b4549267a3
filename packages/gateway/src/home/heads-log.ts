import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Where the ledger's outside memory is: as configured, else `$XDG_STATE_HOME` or `~/.local/state`, below
 * `subluminal/<ledger id>/heads.log`. Outside of the home, so that a copy of the home that is put back contradicts it.
 * Design §5.
 */
export function headsLogPath(configured: string | undefined, ledgerId: string): string {
  if (configured !== undefined) return configured;
  // A relative XDG_STATE_HOME is invalid and ignored (XDG base directory specification).
  const state = process.env['XDG_STATE_HOME'];
  const base = state !== undefined && isAbsolute(state) ? state : join(userHome(), '.local', 'state');
  return join(base, 'subluminal', ledgerId, 'heads.log');
}

/** Of the user database and not of `HOME`: whoever starts the gateway must not move its memory by an environment. */
function userHome(): string {
  return process.platform === 'win32' ? homedir() : userInfo().homedir;
}
