import type { LineCounter } from 'yaml';
import type { Path } from '../problem/problem.js';

/** A place in the source; both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Where each value of a bundle stands in its source. */
export class Places {
  readonly #lines: LineCounter;
  readonly #values = new Map<string, number>();
  readonly #keys = new Map<string, number>();

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  /** Remembers the offset of a value and, below a mapping, of its key. */
  add(path: Path, value: number, key: number | undefined): void {
    const name = JSON.stringify(path);
    this.#values.set(name, value);
    if (key !== undefined) this.#keys.set(name, key);
  }

  /** The place of a value or its key; of the nearest known parent when the path leads to nothing. */
  find(path: Path, at: 'key' | 'value' = 'value'): Place {
    for (let length = path.length; length >= 0; length -= 1) {
      const name = JSON.stringify(path.slice(0, length));
      const key = at === 'key' && length === path.length ? this.#keys.get(name) : undefined;
      const offset = key ?? this.#values.get(name);
      if (offset !== undefined) return this.at(offset);
    }
    return { line: 1, column: 1 };
  }

  /** The place of an offset of the source. */
  at(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }
}
