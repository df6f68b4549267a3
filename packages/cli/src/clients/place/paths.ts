import { posix, win32 } from 'node:path';
import type { Where } from '../client.js';

/** How paths are joined, and which folder one stands in, on the platform that is looked at. */
export function pathsOf(where: Where): {
  readonly join: (...parts: readonly string[]) => string;
  readonly dirname: (path: string) => string;
} {
  const flavour = where.platform === 'win32' ? win32 : posix;
  return { join: (...parts) => flavour.join(...parts), dirname: (path) => flavour.dirname(path) };
}

/** The value of a variable, undefined where it is empty or not set. */
export function variable(where: Where, name: string): string | undefined {
  const value = where.env[name];
  return value === '' ? undefined : value;
}

/** The folder that applications keep their settings in: of macOS, of Windows, else by XDG. */
export function applicationFolder(where: Where): string {
  const { join } = pathsOf(where);
  if (where.platform === 'darwin') return join(where.userHome, 'Library', 'Application Support');
  if (where.platform === 'win32') {
    return variable(where, 'APPDATA') ?? join(where.userHome, 'AppData', 'Roaming');
  }
  return variable(where, 'XDG_CONFIG_HOME') ?? join(where.userHome, '.config');
}
