import { chmodSync, closeSync, fstatSync, opendirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { hasCode } from '@subluminal/ipc';
import { openPath, pathOf } from '../files/by-descriptor.js';
import { type BytePath, bytePath, pathOfText } from '../files/byte-path.js';
import type { Folder } from '../files/folder.js';

/** Names that are read before any of them is removed. */
const SLICE = 1000;
/** Folders that are open at once: one that lies deeper is moved up first. */
const DEEPEST = 64;
const ALL = 0o700;

/**
 * Removes a name of a folder with all that stands below it, whatever it is: folders that nobody may enter,
 * trees of any depth, any number of files. Follows no link, and leaves the event loop a turn between slices.
 * Throws the system's errors.
 */
export async function removeTree(top: Folder, name: BytePath): Promise<void> {
  if (isFolder(top, name)) await new Remover(top).remove(top, name, 0);
  else unlinkIfThere(top, name);
}

class Remover {
  readonly #top: Folder;
  readonly #waiting: BytePath[] = [];
  #moved = 0;

  constructor(top: Folder) {
    this.#top = top;
  }

  async remove(folder: Folder, name: BytePath, depth: number): Promise<void> {
    await this.#empty(folder, name, depth);
    rmdirSync(folder.at(name));
    if (depth > 0) return;
    // They stand beside the first one now.
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop())
      await this.remove(this.#top, next, 0);
  }

  async #empty(folder: Folder, name: BytePath, depth: number): Promise<void> {
    openUp(folder, name);
    const open = folder.folder(name);
    try {
      for (let names = someOf(open); names.length > 0; names = someOf(open)) {
        for (const one of names) {
          if (!isFolder(open, one)) unlinkIfThere(open, one);
          else if (depth < DEEPEST) await this.remove(open, one, depth + 1);
          else this.#moveUp(open, one);
        }
        await setImmediate();
      }
    } finally {
      open.close();
    }
  }

  #moveUp(folder: Folder, name: BytePath): void {
    openUp(folder, name);
    for (;;) {
      this.#moved += 1;
      const above = pathOfText(`.sub-gone-${this.#moved}`);
      if (this.#top.look(above) !== undefined) continue;
      renameSync(folder.at(name), this.#top.at(above));
      this.#waiting.push(above);
      return;
    }
  }
}

/** Lets its owner read, enter and change a folder. */
function openUp(folder: Folder, name: BytePath): void {
  const fd = openPath(folder, name);
  try {
    const stats = fstatSync(fd);
    if (stats.isDirectory() && (stats.mode & ALL) !== ALL) chmodSync(pathOf(fd), ALL);
  } finally {
    closeSync(fd);
  }
}

function someOf(folder: Folder): readonly BytePath[] {
  const names: BytePath[] = [];
  // Node names no type for folders that are read as bytes.
  const entries = opendirSync(`/proc/self/fd/${folder.fd}`, { encoding: 'latin1', bufferSize: SLICE });
  try {
    for (let entry = entries.readSync(); entry !== null && names.length < SLICE; entry = entries.readSync())
      names.push(bytePath(Buffer.from(entry.name, 'latin1')));
  } finally {
    entries.closeSync();
  }
  return names;
}

function isFolder(folder: Folder, name: BytePath): boolean {
  return folder.look(name)?.isDirectory() === true;
}

function unlinkIfThere(folder: Folder, name: BytePath): void {
  try {
    unlinkSync(folder.at(name));
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
