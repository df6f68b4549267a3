import type { BigIntStats } from 'node:fs';
import type { FileState } from '../diff/change.js';
import { kindOf } from '../files/state.js';
import { isUnchanged } from '../plan/standing.js';

/** Tells whether the project's things are still those that were planned with. */
export class Planned {
  /** Files with more than one name, of which this commit took one: that changed the time of the others. */
  readonly #shared = new Set<bigint>();

  isStill(planned: FileState, stats: BigIntStats): boolean {
    const now: FileState = {
      ...planned,
      kind: kindOf(stats),
      inode: stats.ino,
      size: stats.isFile() ? Number(stats.size) : 0,
      changedAt: stats.ctimeNs,
      modifiedAt: stats.mtimeNs,
    };
    return isUnchanged(planned, now) || this.#isSharedSame(planned, now);
  }

  /** Has to be told of each thing before one of its names is taken away. */
  taken(stats: BigIntStats): void {
    if (!stats.isDirectory() && stats.nlink > 1n) this.#shared.add(stats.ino);
  }

  #isSharedSame(planned: FileState, now: FileState): boolean {
    const isIt = this.#shared.has(now.inode) && planned.inode === now.inode && planned.kind === now.kind;
    return isIt && planned.size === now.size && planned.modifiedAt === now.modifiedAt;
  }
}
