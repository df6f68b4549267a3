import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

/** Folders of the system that a world sees and cannot change, as far as this machine has them. */
export const READ_ONLY = ['/usr', '/etc', '/opt', '/nix/store'];
/** Links into /usr on most systems, folders on the others. */
const MERGED = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** The arguments of bubblewrap that give a world the system. */
export function systemArguments(): string[] {
  return [
    ...READ_ONLY.filter((path) => isThere(path)).flatMap((path) => ['--ro-bind', path, path]),
    ...MERGED.flatMap((path) => mergedArguments(path)),
  ];
}

/** The folders of the system themselves, without those that are links into another one. */
export function systemFolders(): string[] {
  return [...READ_ONLY, ...MERGED].filter((path) => isThere(path) && !lstatSync(path).isSymbolicLink());
}

function mergedArguments(path: string): string[] {
  if (!isThere(path)) return [];
  return lstatSync(path).isSymbolicLink()
    ? ['--symlink', readlinkSync(path), path]
    : ['--ro-bind', path, path];
}

/**
 * Where a generated file of /etc has to stand so that /etc shows it: behind a link that leads to /run, which
 * is a world's own.
 */
export function placeOf(path: string): string {
  if (!isThere(path) || !lstatSync(path).isSymbolicLink()) return path;
  const target = readlinkSync(path);
  const whole = isAbsolute(target) ? target : join(dirname(path), target);
  return whole.startsWith('/run/') ? whole : realpathSync(path);
}

/** Errors of a path below a file, below a link that leads to itself, and below a folder that is closed. */
const NOTHING_BELOW: ReadonlySet<unknown> = new Set(['ENOTDIR', 'ELOOP', 'EACCES', 'ENAMETOOLONG']);

/** Nothing is there below what is no folder: a world may put that in the place of one. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && NOTHING_BELOW.has(error.code)) return false;
    throw error;
  }
}
