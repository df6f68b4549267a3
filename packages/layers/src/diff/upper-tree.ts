import type { BytePath } from '../files/byte-path.js';
import type { UpperEntry, Walked } from '../walk/records.js';

/** All that stands in the upper folder of a layer, as the walks have told. */
export class UpperTree {
  readonly #entries = new Map<BytePath, UpperEntry>();
  readonly #names = new Map<BytePath, ReadonlySet<BytePath>>();

  at(path: BytePath): UpperEntry | undefined {
    return this.#entries.get(path);
  }

  /** Takes a walk in, and gives the paths that it tells of, those among them that are gone. */
  take({ names, entries }: Walked): ReadonlySet<BytePath> {
    const told = new Set<BytePath>();
    for (const [folder, paths] of names) {
      const now = new Set(paths);
      for (const path of this.#names.get(folder) ?? []) if (!now.has(path)) this.#remove(path, told);
      this.#names.set(folder, now);
    }
    for (const [path, entry] of entries) {
      if (entry.kind !== 'folder' && this.#names.has(path)) this.#remove(path, told);
      this.#entries.set(path, entry);
      told.add(path);
    }
    return told;
  }

  #remove(path: BytePath, told: Set<BytePath>): void {
    const waiting = [path];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      waiting.push(...(this.#names.get(next) ?? []));
      this.#names.delete(next);
      this.#entries.delete(next);
      told.add(next);
    }
  }
}
