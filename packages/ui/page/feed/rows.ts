import type { Row } from '../../src/protocol/index.js';

/** Rows that a page holds at most; beyond, those at one end go, and are read again by range. */
export const MOST_HELD = 100_000;
const DROPPED_AT_ONCE = 10_000;

/** The count of what a batch changed. */
export interface Taken {
  /** Rows that are new. */
  readonly added: number;
  /** Rows that were dropped at that end. */
  readonly dropped: number;
}

/** Rows in the order of their entries, each once, at its newest. Kept outside of everything that reacts. */
export class Rows {
  readonly #held: Row[] = [];

  get all(): readonly Row[] {
    return this.#held;
  }

  clear(): void {
    this.#held.length = 0;
  }

  /**
   * Takes rows in any order; a row that is there already gives way to a later state of it. Where that is too
   * much, rows at the far end go: the oldest ones unless older ones were read.
   */
  take(rows: readonly Row[], goes: 'newest' | 'oldest' = 'oldest'): Taken {
    let added = 0;
    for (const row of rows) if (this.#put(row)) added += 1;
    const dropped = this.#held.length > MOST_HELD ? DROPPED_AT_ONCE : 0;
    if (dropped > 0) this.#held.splice(goes === 'oldest' ? 0 : -dropped, dropped);
    return { added, dropped };
  }

  /** Brings rows up to date that are held; others are not taken. */
  refresh(rows: readonly Row[]): void {
    for (const row of rows) {
      const index = this.indexOf(row.seq);
      if (this.#held[index]?.seq === row.seq) this.#held[index] = row;
    }
  }

  /** Index of the row of that entry, or of the first one after it. */
  indexOf(seq: number): number {
    let [low, high] = [0, this.#held.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#held[middle]?.seq ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Tells whether the row is new. */
  #put(row: Row): boolean {
    const newest = this.#held.at(-1);
    if (newest === undefined || row.seq > newest.seq) {
      this.#held.push(row);
      return true;
    }
    const index = this.indexOf(row.seq);
    const there = this.#held[index];
    if (there?.seq !== row.seq) {
      this.#held.splice(index, 0, row);
      return true;
    }
    if (row.last >= there.last) this.#held[index] = row;
    return false;
  }
}
