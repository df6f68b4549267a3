import { type BigIntStats, chmodSync, closeSync, constants, fstatSync, openSync } from 'node:fs';
import { hasCode } from '@subluminal/ipc';
import type { FileState } from '../diff/change.js';
import type { BytePath } from './byte-path.js';
import { openPath, pathOf } from './by-descriptor.js';
import type { Folder } from './folder.js';

const { O_NONBLOCK, O_RDONLY } = constants;
const OWNER_READS = 0o400;

/** A file of a layer that is open, as it was when it was opened. */
export interface Source {
  readonly fd: number;
  readonly stats: BigIntStats;
}

/**
 * Opens a file to read it, also one that its owner may not read. Undefined where it is no file, or another
 * one than `from` says. Throws the system's other errors. The caller closes it.
 */
export function openSource(folder: Folder, name: BytePath, from: FileState): Source | undefined {
  let fd: number;
  try {
    fd = folder.file(name);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ELOOP', 'ENXIO', 'ENOTDIR')) return undefined;
    if (hasCode(error, 'EACCES')) return openUnreadable(folder, name, from);
    throw error;
  }
  const stats = fstatSync(fd, { bigint: true });
  if (isIt(stats, from)) return { fd, stats };
  closeSync(fd);
  return undefined;
}

/** A file that its owner may not read is opened for this one moment: the open file stays so. */
function openUnreadable(folder: Folder, name: BytePath, from: FileState): Source | undefined {
  const held = openPath(folder, name);
  try {
    if (!isIt(fstatSync(held, { bigint: true }), from)) return undefined;
    chmodSync(pathOf(held), from.mode | OWNER_READS);
    try {
      const fd = openSync(pathOf(held), O_RDONLY | O_NONBLOCK);
      chmodSync(pathOf(held), from.mode);
      return { fd, stats: fstatSync(fd, { bigint: true }) };
    } catch (error) {
      chmodSync(pathOf(held), from.mode);
      throw error;
    }
  } finally {
    closeSync(held);
  }
}

function isIt(stats: BigIntStats, from: FileState): boolean {
  return (
    stats.isFile() &&
    stats.ino === from.inode &&
    stats.size === BigInt(from.size) &&
    stats.ctimeNs === from.changedAt
  );
}
