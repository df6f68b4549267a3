import type { Reported } from './report.js';

/** Different things of one kind that are kept apart; further ones are counted together. */
const MAX_KEYS = 2000;
/** A longer name is cut: agents choose names. */
const MAX_NAME = 1000;

/** Counts things by their names, in a bounded memory. */
export class Tally<Row> {
  readonly #rows = new Map<string, Row>();
  #left = 0;

  /** The row of that name, which `make` makes; undefined if there are too many, which is counted. */
  at(name: string, make: (name: string) => Row): Row | undefined {
    const key = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    if (this.#rows.size >= MAX_KEYS) {
      this.#left += 1;
      return undefined;
    }
    const row = make(key);
    this.#rows.set(key, row);
    return row;
  }

  /** The rows, those first for which `weight` gives most, and how often something had no room. */
  by(weight: (row: Row) => number): Reported<Row> {
    const rows = [...this.#rows.values()].toSorted((a, b) => weight(b) - weight(a));
    return { rows, left: this.#left };
  }
}
