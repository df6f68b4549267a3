import type { Change, FileState } from '../diff/change.js';
import { type BytePath, namesOf } from '../files/byte-path.js';
import type { Folders } from '../files/folders.js';
import { gitPartOf } from './git.js';
import type { RefusalKind } from './left.js';
import { leadsOut } from './link.js';

/** Names that the commit gives to files on their way. */
const OWN_NAME = /^\.sub-/;
/** A file may have holes of so many bytes, and so may all files together that are nearly nothing else. */
const MOST_HOLE = 1_073_741_824n;
/** So many times larger than what it has on the disk: a file system that compresses does less. */
const SPARSE = 16n;
const SPARSE_BYTES = 65_536;
const BLOCK_BYTES = 512n;

/** Objects, which git names by their content, are added alone, and files that it has in work are its own. */
export function isGitsOwn({ path, how }: Change): boolean {
  const part = gitPartOf(path);
  if (part === 'passing') return true;
  return (
    (part === 'object' || part === 'object_folder') &&
    (how === 'deleted' || how === 'mode' || how === 'touched')
  );
}

/** Knows what no commit takes over. */
export class Refusing {
  readonly #upper: Folders;
  /** Bytes of holes that all files so far have, if they are nearly nothing else. */
  #holes = 0n;

  constructor(upper: Folders) {
    this.#upper = upper;
  }

  /** Why a change is not taken over; undefined: it may be. */
  of(change: Change): RefusalKind | undefined {
    const { path, how, after } = change;
    const names = namesOf(path);
    const isNone =
      path === '' ||
      names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\0'));
    if (isNone || names.some((name) => OWN_NAME.test(name))) return 'name';
    if (after === undefined) return undefined;
    if (after.kind === 'other') return 'special';
    if (after.kind === 'link' && (after.target === undefined || leadsOut(path, after.target)))
      return 'leads_out';
    if (how !== 'added' && gitPartOf(path) === 'object') return 'git_object';
    return this.#isHole(path, after) ? 'hole' : undefined;
  }

  #isHole(path: BytePath, after: FileState): boolean {
    if (after.kind !== 'file' || after.size < SPARSE_BYTES) return false;
    const size = BigInt(after.size);
    const onDisk = (this.#upper.look(path)?.blocks ?? 0n) * BLOCK_BYTES;
    if (size - onDisk > MOST_HOLE) return true;
    if (onDisk * SPARSE > size) return false;
    this.#holes += size - onDisk;
    return this.#holes > MOST_HOLE;
  }
}
