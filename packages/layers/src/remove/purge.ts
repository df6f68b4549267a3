import { fchmodSync, rmdirSync, unlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { hasCode } from '@subluminal/ipc';
import type { Change, FileState } from '../diff/change.js';
import { type BytePath, foldersOf, isAtOneOf, split } from '../files/byte-path.js';
import type { Folder } from '../files/folder.js';
import { Folders } from '../files/folders.js';

/** A layer that no world has, its changes, and those that are to leave it. */
export interface PurgeOf {
  readonly upper: Folder;
  readonly changes: readonly Change[];
  readonly paths: ReadonlySet<BytePath>;
}

const SLICE = 500;
const OWNER = 0o700;

/**
 * Takes changes out of a layer: what the project has there is seen again. Gives those that stay: what is
 * hidden by a folder that stays away, and what is another thing now. Throws the system's errors.
 */
export async function purge({ upper, changes, paths }: PurgeOf): Promise<readonly BytePath[]> {
  const folders = new Folders(upper);
  const stays: BytePath[] = [];
  const left = new Set(above(changes.filter(({ path }) => !paths.has(path))));
  const emptied = new Set<BytePath>();
  try {
    for (const [at, change] of changes
      .filter(({ path }) => paths.has(path))
      .toReversed()
      .entries()) {
      if (!removed(folders, change, left)) stays.push(change.path);
      for (let { folder } = split(change.path); folder !== ''; { folder } = split(folder))
        emptied.add(folder);
      if (at % SLICE === SLICE - 1) await setImmediate();
    }
    const aboveThose = new Set(above(stays.map((path) => ({ path }))));
    // A folder that was made only for what stood in it, from below.
    for (const path of [...emptied].toSorted((a, b) => b.length - a.length))
      if (!left.has(path) && !aboveThose.has(path)) removeEmpty(folders, path);
  } finally {
    folders.close();
  }
  return stays;
}

/** Those paths, and all folders above them. */
function* above(all: readonly { readonly path: BytePath }[]): Generator<BytePath> {
  for (const { path } of all) yield* foldersOf(path);
}

function removed(folders: Folders, { path, after, before }: Change, left: ReadonlySet<BytePath>): boolean {
  const { folder, name } = split(path);
  const open = folders.at(folder);
  const stats = open?.look(name);
  if (open === undefined || stats === undefined)
    // Something above hides it: as long as that stays, so does this.
    return after === undefined && before !== undefined && !isHeld(folders, folder, left);
  if (stats.isDirectory()) {
    // It may still hold others, and is looked at again.
    if (after?.kind === 'folder' && !left.has(path)) removeEmpty(folders, path);
    return after?.kind === 'folder' || after === undefined;
  }
  if (after !== undefined && !isIt(after, stats)) return false;
  opened(open, () => unlinkSync(open.at(name)));
  return true;
}

/** Whether a mark that hides all below it stands above, and is to stay. */
function isHeld(folders: Folders, folder: BytePath, left: ReadonlySet<BytePath>): boolean {
  for (let at = folder; at !== ''; at = split(at).folder) {
    const stats = folders.look(at);
    if (stats !== undefined) return left.has(at);
  }
  return false;
}

function isIt(
  after: FileState,
  stats: { readonly ino: bigint; readonly size: bigint; readonly mtimeNs: bigint },
): boolean {
  if (after.inode !== stats.ino) return false;
  return after.kind !== 'file' || (stats.size === BigInt(after.size) && stats.mtimeNs === after.modifiedAt);
}

function removeEmpty(folders: Folders, path: BytePath): void {
  const { folder, name } = split(path);
  const open = folders.at(folder);
  if (open === undefined || open.look(name)?.isDirectory() !== true) return;
  try {
    opened(open, () => rmdirSync(open.at(name)));
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) throw error;
  }
}

/**
 * Removes a name of a folder, also if its owner may not write there: a world can take that away, and the
 * folder keeps what it has, since that may be a change which stays.
 */
function opened(folder: Folder, remove: () => void): void {
  try {
    remove();
  } catch (error) {
    if (!hasCode(error, 'EACCES')) throw error;
    const mode = Number(folder.stats.mode & 0o7777n);
    fchmodSync(folder.fd, mode | OWNER);
    try {
      remove();
    } finally {
      fchmodSync(folder.fd, mode);
    }
  }
}

/** Whether a path is among those, or below one. */
export function isChosen(path: BytePath, places: ReadonlySet<BytePath>): boolean {
  return places.size === 0 || isAtOneOf(path, places);
}
