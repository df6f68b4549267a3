import { type BigIntStats, fchownSync, lchownSync } from 'node:fs';
import { hasCode } from '@subluminal/ipc';
import type { Folder } from '../files/folder.js';

/** The owner of what a commit puts into a project. */
export interface Owner {
  /** Gives the open file or folder to that owner, as far as this process may. */
  give(fd: number): void;
  /** The same for a link, by a path through the descriptor of its folder. */
  giveLink(path: Buffer | string): void;
}

/**
 * The owner of what `replaced` was, or else of the project. A plain user's things are the user's; the group
 * of what was there stays if the user is in it.
 */
export function ownerOf(project: Folder, replaced: BigIntStats | undefined): Owner {
  const me = process.getuid?.() ?? 0;
  if (me !== 0 && replaced === undefined) return AS_MADE;
  const { uid, gid } = replaced ?? project.stats;
  const [owner, group] = [me === 0 ? Number(uid) : me, Number(gid)];
  // A folder can have a group for what is made in it, so a file of root's is given, too.
  return {
    give: (fd) => asFarAsAllowed(() => fchownSync(fd, owner, group)),
    giveLink: (path) => asFarAsAllowed(() => lchownSync(path, owner, group)),
  };
}

const AS_MADE: Owner = { give: () => undefined, giveLink: () => undefined };

function asFarAsAllowed(give: () => void): void {
  try {
    give();
  } catch (error) {
    // A group that the user is not in, or a file system without owners.
    if (!hasCode(error, 'EPERM', 'EINVAL', 'EOPNOTSUPP')) throw error;
  }
}
