import { type BytePath, foldersOf } from '../files/byte-path.js';
import type { Bounds } from '../walk/bounds.js';
import type { UpperEntry, Walked } from '../walk/records.js';

/** Bytes besides its path that a thing takes. */
const THING_BYTES = 128;

/**
 * All that stands in the upper folder of a layer, as the walks have told, within the bounds of one of them: a
 * walk that is cut does not say what is gone, so the next ones could tell of more and more.
 */
export class UpperTree {
  #left: number;
  #isCut = false;
  #isUnsure = false;
  readonly #entries = new Map<BytePath, UpperEntry>();
  readonly #names = new Map<BytePath, ReadonlySet<BytePath>>();

  constructor({ names, bytes }: Bounds) {
    this.#left = names * THING_BYTES + bytes;
  }

  /** Something was told for which there was no room. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** The last walk named things of which no walk has told: a folder was moved, with all that is in it. */
  get isUnsure(): boolean {
    return this.#isUnsure;
  }

  at(path: BytePath): UpperEntry | undefined {
    return this.#entries.get(path);
  }

  /** The folder that hides everything that the project has at a path, itself or above; the outermost one. */
  hiderOf(path: BytePath): BytePath | undefined {
    return [...foldersOf(path)].findLast((at) => this.#entries.get(at)?.isOpaque === true);
  }

  /** All but what stands in a folder that hides everything of the project, and stays, and that folder. */
  *unhidden(stays: ReadonlySet<BytePath>): Generator<readonly [BytePath, UpperEntry]> {
    for (const [path, entry] of this.#entries) {
      const isHidden = [...foldersOf(path)].some(
        (at) => this.#entries.get(at)?.isOpaque === true && stays.has(at),
      );
      if (!isHidden) yield [path, entry];
    }
  }

  /**
   * Takes a walk in that tells of what has changed since that time, and gives the paths that it tells of,
   * those among them that are gone. A thing that it tells as it is known, of before that time, is not given.
   */
  take({ names, entries, isCut }: Walked, since: bigint): ReadonlySet<BytePath> {
    const told = new Set<BytePath>();
    this.#isUnsure = false;
    for (const [folder, paths] of names) {
      const now = new Set(paths);
      for (const path of this.#names.get(folder) ?? []) if (!now.has(path)) this.#remove(path, told);
    }
    for (const [path, entry] of entries) {
      const known = this.#entries.get(path);
      // Of another folder in its place nothing is known.
      const isOther = entry.kind !== 'folder' || known?.inode !== entry.inode;
      if (isOther && this.#names.has(path)) this.#remove(path, told);
      if (known !== undefined && isAsKnown(known, entry, since)) continue;
      if (!this.#takes(path)) continue;
      this.#entries.set(path, entry);
      told.add(path);
    }
    for (const [folder, paths] of names) {
      const known = new Set(paths.filter((path) => this.#entries.has(path)));
      this.#names.set(folder, known);
      this.#isUnsure ||= known.size < paths.length && !isCut && !this.#isCut;
    }
    return told;
  }

  #takes(path: BytePath): boolean {
    if (this.#entries.has(path)) return true;
    const bytes = path.length + THING_BYTES;
    if (this.#left < bytes) {
      this.#isCut = true;
      return false;
    }
    this.#left -= bytes;
    return true;
  }

  #remove(path: BytePath, told: Set<BytePath>): void {
    const waiting = [path];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      waiting.push(...(this.#names.get(next) ?? []));
      this.#names.delete(next);
      if (this.#entries.delete(next)) this.#left += next.length + THING_BYTES;
      told.add(next);
    }
  }
}

/** Whether a thing is known as it is: its time says so, if that is older than the last look. */
function isAsKnown(known: UpperEntry, now: UpperEntry, since: bigint): boolean {
  return (
    now.changedAt < since &&
    known.changedAt === now.changedAt &&
    known.inode === now.inode &&
    known.kind === now.kind &&
    known.isOpaque === now.isOpaque
  );
}
