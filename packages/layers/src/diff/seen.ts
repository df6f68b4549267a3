import type { BigIntStats } from 'node:fs';
import type { FileState } from './change.js';

/** Times in nanoseconds since 1970. */
interface Since {
  /** Since when the world sees the project. */
  readonly mountedAt: bigint;
  /** When the layer got something of its own there; 0: that is not known. */
  readonly bornAt: bigint;
  /** A folder on the way there may be another one than the world has found. */
  readonly isMoved: boolean;
}

/**
 * Whether the world saw what the project has there now before it put something of its own in that place. The
 * kernel shows what is written into a file that it has found, but goes on with that file if another one takes
 * its name, as when an editor saves: that counts as not seen. `now` has the stats of the project's, undefined
 * if they are not known.
 */
export function isSeen(
  before: FileState | undefined,
  now: BigIntStats | undefined,
  { mountedAt, bornAt, isMoved }: Since,
): boolean {
  if (before === undefined) return true;
  if (isMoved) return false;
  // The time of a folder is that of the names in it, too.
  if (before.kind === 'folder' || before.changedAt < mountedAt) return true;
  if (now === undefined || before.kind !== 'file' || now.ino !== before.inode) return false;
  // Where the file system knows no birth it is 0, or the last change. A new name changes no content.
  const isSameFile = now.birthtimeNs > 0n && now.birthtimeNs < mountedAt;
  return isSameFile && before.modifiedAt === before.changedAt && before.changedAt < bornAt;
}
