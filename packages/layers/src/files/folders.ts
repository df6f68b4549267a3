import type { BigIntStats } from 'node:fs';
import { hasCode } from '@subluminal/ipc';
import { type BytePath, joined, namesOf, ROOT, split } from './byte-path.js';
import { Folder } from './folder.js';

/**
 * The folders of one tree. Keeps open those on the way to the last one that was asked for, since neighbours
 * come one after the other.
 */
export class Folders {
  readonly #root: Folder;
  /** From the root on, without it. */
  #way: { readonly path: BytePath; readonly folder: Folder }[] = [];
  /** The last one that was not there: an error thrown for each name in it costs more than all else. */
  #absent: BytePath | undefined;

  constructor(root: Folder) {
    this.#root = root;
  }

  /**
   * The folder of that path, until the next one is asked for. Undefined where there is none, or where a name
   * on the way is no folder: one that was not there is not looked for again at once. Throws the
   * system's other errors.
   */
  at(path: BytePath): Folder | undefined {
    const last = this.#way.at(-1);
    // Most are asked for again and again.
    if (last?.path === path) return last.folder;
    if (this.#absent !== undefined && isOnWay(this.#absent, path)) return undefined;
    while (this.#way.length > 0 && !isOnWay(this.#way.at(-1)?.path ?? ROOT, path))
      this.#way.pop()?.folder.close();
    let folder = this.#way.at(-1)?.folder ?? this.#root;
    let at = this.#way.at(-1)?.path ?? ROOT;
    for (const name of namesOf(path).slice(this.#way.length)) {
      const next = openOrAbsent(folder, name);
      at = joined(at, name);
      if (next === undefined) {
        this.#absent = at;
        return undefined;
      }
      folder = next;
      this.#way.push({ path: at, folder });
    }
    return folder;
  }

  /** The stats of that path, of a link itself; undefined if nothing has it. Throws the system's errors. */
  look(path: BytePath): BigIntStats | undefined {
    const { folder, name } = split(path);
    return this.at(folder)?.look(name);
  }

  /** Looks anew whether one is there that was not. */
  forgetAbsent(): void {
    this.#absent = undefined;
  }

  /** Closes those on the way. The root is its owner's. */
  close(): void {
    for (const { folder } of this.#way.splice(0)) folder.close();
  }
}

function isOnWay(way: BytePath, path: BytePath): boolean {
  return way === path || path.startsWith(`${way}/`);
}

function openOrAbsent(folder: Folder, name: BytePath): Folder | undefined {
  try {
    return folder.folder(name);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return undefined;
    throw error;
  }
}
