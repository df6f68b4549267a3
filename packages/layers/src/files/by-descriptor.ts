import { constants, openSync } from 'node:fs';
import type { BytePath } from './byte-path.js';
import type { Folder } from './folder.js';

/** Opens a name without reading it, which Node does not name; the same on x86-64 and arm64. */
const O_PATH = 0x20_0000;

/**
 * A descriptor of a name in a folder, whatever it is and whoever may read it. Follows no link. The caller
 * closes it.
 */
export function openPath(folder: Folder, name: BytePath): number {
  return openSync(folder.at(name), O_PATH | constants.O_NOFOLLOW);
}

/** The path of what a descriptor has open, for calls that take none. It is no link if `fstat` says so. */
export function pathOf(fd: number): string {
  return `/proc/self/fd/${fd}`;
}
