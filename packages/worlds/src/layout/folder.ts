import { realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { marksAbove } from '@subluminal/readings';
import { isThere, READ_ONLY } from './system.js';

/** Folders that hold everybody's things. */
const WIDE: ReadonlySet<string> = new Set(['/', '/home', '/mnt', '/opt', '/root', '/srv', '/tmp', '/var']);
/** Folders of the system, and all in them. */
const SYSTEM = ['/bin', '/boot', '/dev', '/etc', '/lib', '/proc', '/run', '/sbin', '/sys', '/usr'];

/**
 * The folder of a world that is started in `cwd`: the nearest one above it that is a project, else `cwd`
 * itself. Throws `usage` for the whole file system, a home or what holds one, a folder of the system, and a
 * hidden one of the home that is no project: a world that may write there confines nothing, and a link or a
 * repository's settings may have led there.
 */
export function worldFolder(cwd: string, home: string): string {
  const start = realpathSync(cwd);
  const project = marksAbove(start).find(({ marks }) => marks.some((mark) => isThere(mark)))?.folder;
  if (project !== undefined && !isWide(project, home)) return project;
  if (!isWide(start, home) && !isHidden(start, home)) return start;
  throw new SublError('usage', `\`${start}\` cannot be the folder of a world, which may write there`, {
    help: 'go into the folder of the project first',
  });
}

function isHidden(folder: string, home: string): boolean {
  return isWithin(folder, home) && relative(home, folder).startsWith('.');
}

function isWide(folder: string, home: string): boolean {
  const holdsHome = isWithin(home, folder);
  const isSystem = SYSTEM.some((one) => isWithin(folder, one));
  return WIDE.has(folder) || holdsHome || isSystem;
}

/**
 * Throws `usage` where a world would see the gateway's home: with its keys a program may do all that its user
 * may.
 */
export function assertApart(shown: readonly string[], gatewayHome: string): void {
  const home = isThere(gatewayHome) ? realpathSync(gatewayHome) : gatewayHome;
  const found = [...shown, ...READ_ONLY].find((path) => isWithin(home, path) || isWithin(path, home));
  if (found === undefined) return;
  throw new SublError('usage', `a world that shows \`${found}\` would show the gateway’s home \`${home}\``, {
    help: 'show less, or give the gateway another home',
  });
}

/** Whether a path is that folder, or stands in it. */
export function isWithin(path: string, folder: string): boolean {
  return join(path, '/').startsWith(join(folder, '/'));
}
