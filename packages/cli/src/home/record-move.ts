import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { readAsideMark, type HomePaths } from '@subluminal/ipc';
import { whyOf } from '../output/system-error.js';
import type { FileHands } from './file-hands.js';
import { assertMovable, newRecordFolder } from './record-folder.js';

/**
 * Moves parts of a home into the folder of its record, with the same names below it. From before the first
 * move until after the last a mark in the home names the folder: a gateway refuses to start then, and the
 * next command that moves the record goes on where this one was cut off. Nothing is ever replaced.
 */
export class RecordMove {
  readonly folder: string;
  readonly #home: HomePaths;
  readonly #files: FileHands;

  /**
   * Begins, or goes on. `paths`: what will be moved. Throws `failed` where that is not possible; nothing was
   * moved then.
   */
  constructor(home: HomePaths, paths: readonly string[], nowMs: number, files: FileHands) {
    this.#home = home;
    this.#files = files;
    assertMovable(home, paths);
    const begun = readAsideMark(home);
    this.folder = begun ?? newRecordFolder(home, nowMs, files);
    if (begun === undefined) {
      const draft = `${home.asideMark}.new-${process.pid}`;
      files.write(draft, `${relative(home.home, this.folder)}\n`);
      files.rename(draft, home.asideMark);
    } else files.makeFolder(begun);
  }

  /**
   * Moves files and folders, in this order. Throws `failed` where the system does not: what was moved stays
   * moved.
   */
  take(paths: readonly string[]): void {
    for (const path of paths) {
      const target = join(this.folder, relative(this.#home.home, path));
      this.#files.makeFolder(dirname(target));
      this.#move(path, target);
    }
  }

  /**
   * Moves what shims wrote while no gateway answered. The folder goes whole, since a shim that lives may
   * write into it meanwhile; where nothing was in it none stays in the record.
   */
  takeSpools(): void {
    const { awayDir, runDir, home } = this.#home;
    if (existsSync(awayDir)) this.take([awayDir]);
    this.#removeEmpty(join(this.folder, relative(home, runDir)));
  }

  /** All of it stands in the record. */
  end(): void {
    this.#files.remove(this.#home.asideMark);
  }

  #move(path: string, target: string): void {
    if (isFolder(path) && isFolder(target)) {
      for (const name of readdirSync(path)) this.#move(join(path, name), join(target, name));
      this.#files.removeFolder(path);
      return;
    }
    const free = freeName(target);
    try {
      this.#files.rename(path, free);
    } catch (cause) {
      if (!(cause instanceof Error) || !('syscall' in cause)) throw cause;
      throw new SublError('failed', `\`${path}\` cannot be moved to \`${free}\`: ${whyOf(cause)}`, {
        cause,
        help: 'see to that, and run the command again: it goes on where it stopped',
      });
    }
  }

  /** Removes folders that hold no file. */
  #removeEmpty(path: string): void {
    if (!isFolder(path)) return;
    for (const name of readdirSync(path)) this.#removeEmpty(join(path, name));
    if (readdirSync(path).length === 0) this.#files.removeFolder(path);
  }
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function freeName(path: string): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? path : `${path}.${count}`;
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
}
