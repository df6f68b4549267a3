import { type BytePath, ROOT, split } from '../files/byte-path.js';
import type { Folders } from '../files/folders.js';
import type { Bases } from './bases.js';

/** A project, and since when a world sees it, in nanoseconds since 1970. */
interface MovedParts {
  readonly project: Folders;
  readonly bases: Bases;
  readonly mountedAt: bigint;
}

/**
 * Knows which folders of a project may have been moved to where they are since a world sees it: the files in
 * one keep their times, and the world goes on with the folder that it has found. A move changes the time of
 * the folder itself, and not that of the names in it; a new mode does so, too. A name that comes or goes
 * behind that hides it.
 */
export class Moved {
  readonly #parts: MovedParts;
  readonly #known = new Map<BytePath, boolean>([[ROOT, false]]);

  constructor(parts: MovedParts) {
    this.#parts = parts;
  }

  /** Whether that folder, or one above it, may have been moved there. */
  has(folder: BytePath): boolean {
    const known = this.#known.get(folder);
    if (known !== undefined) return known;
    // From above, since they are entered so.
    const isMoved = this.has(split(folder).folder) || this.#isItself(folder);
    this.#known.set(folder, isMoved);
    return isMoved;
  }

  #isItself(folder: BytePath): boolean {
    const { project, bases, mountedAt } = this.#parts;
    const stats = project.at(folder)?.stats;
    if (stats === undefined || stats.ctimeNs < mountedAt || stats.ctimeNs === stats.mtimeNs) return false;
    const base = bases.of(folder);
    // A commit has left it so.
    return (
      base?.isStale !== false || base.before?.inode !== stats.ino || base.before.changedAt !== stats.ctimeNs
    );
  }
}
