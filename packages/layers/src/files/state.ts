import type { BigIntStats } from 'node:fs';
import type { FileState, Kind } from '../diff/change.js';
import type { BytePath } from './byte-path.js';
import type { Folder } from './folder.js';

/** The sort of thing that these are the stats of. */
export function kindOf(stats: BigIntStats): Kind {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

/** The state of a name in a folder, of whose bytes nothing is read. Undefined where nothing has that name. */
export function stateOf(folder: Folder, name: BytePath): FileState | undefined {
  const stats = folder.look(name);
  if (stats === undefined) return undefined;
  const kind = kindOf(stats);
  return {
    kind,
    mode: Number(stats.mode & 0o7777n),
    size: kind === 'file' ? Number(stats.size) : 0,
    inode: stats.ino,
    changedAt: stats.ctimeNs,
    modifiedAt: stats.mtimeNs,
    sha256: undefined,
    target: kind === 'link' ? folder.link(name) : undefined,
  };
}
