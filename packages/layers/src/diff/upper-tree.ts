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
  readonly #entries = new Map<BytePath, UpperEntry>();
  readonly #names = new Map<BytePath, ReadonlySet<BytePath>>();

  constructor({ names, bytes }: Bounds) {
    this.#left = names * THING_BYTES + bytes;
  }

  /** Something was told for which there was no room. */
  get isCut(): boolean {
    return this.#isCut;
  }

  at(path: BytePath): UpperEntry | undefined {
    return this.#entries.get(path);
  }

  /** All but what stands in a folder that hides everything of the project, and that folder. */
  *unhidden(): Generator<readonly [BytePath, UpperEntry]> {
    for (const [path, entry] of this.#entries) {
      const hides = [...foldersOf(path)].some((at) => this.#entries.get(at)?.isOpaque === true);
      if (!hides) yield [path, entry];
    }
  }

  /** Takes a walk in, and gives the paths that it tells of, those among them that are gone. */
  take({ names, entries }: Walked): ReadonlySet<BytePath> {
    const told = new Set<BytePath>();
    for (const [folder, paths] of names) {
      const now = new Set(paths);
      for (const path of this.#names.get(folder) ?? []) if (!now.has(path)) this.#remove(path, told);
    }
    for (const [path, entry] of entries) {
      if (entry.kind !== 'folder' && this.#names.has(path)) this.#remove(path, told);
      if (!this.#takes(path)) continue;
      this.#entries.set(path, entry);
      told.add(path);
    }
    for (const [folder, paths] of names)
      this.#names.set(folder, new Set(paths.filter((path) => this.#entries.has(path))));
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
