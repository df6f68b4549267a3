import type { JsonObject } from '@subluminal/core-types';
import type { PlaneEntry } from '@subluminal/plane';

/** Counts the entries that were decided on since the gateway started. */
export class Tally {
  readonly #counts = new Map<PlaneEntry['type'], number>();

  add(entries: readonly PlaneEntry[]): void {
    for (const { type } of entries) this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1);
  }

  /** The numbers by the type of the entry. */
  get json(): JsonObject {
    return Object.fromEntries(this.#counts);
  }
}
