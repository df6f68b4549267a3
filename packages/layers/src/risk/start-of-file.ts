import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { hasCode } from '@subluminal/ipc';
import { type BytePath, bytesOf } from '../files/byte-path.js';

const { O_NONBLOCK, O_RDONLY } = constants;
const MOST_BYTES = 262_144;

/**
 * The text of a file of this machine, 256 KiB of it at most, as its own programs would read it. `folder` for
 * a folder; undefined where there is nothing, or what cannot be read.
 */
export function startOfFile(path: BytePath): string | undefined {
  // No file has such a name, and Node takes none.
  if (path.includes('\0')) return undefined;
  let file: number;
  try {
    file = openSync(bytesOf(path), O_RDONLY | O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENXIO', 'ENAMETOOLONG')) return undefined;
    throw error;
  }
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) return 'folder';
    if (!stats.isFile()) return undefined;
    const bytes = Buffer.alloc(MOST_BYTES);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file);
  }
}
