import { Frontier } from '../merkle/frontier.js';
import type { Finding } from './report.js';

/** An audit reference that somebody kept: entry `seq` had this leaf, and so all before it was as it was. */
export interface Receipt {
  readonly seq: number;
  /** Lowercase hex. */
  readonly leaf: string;
}

/** A signed checkpoint that stands somewhere outside: the ledger had this root at this size. */
export interface AnchoredRoot {
  readonly size: number;
  /** Lowercase hex. */
  readonly root: string;
  /** Where it stands, for people. */
  readonly source: string;
}

/** What the outside remembers besides heads.log. */
export interface OutsideMemory {
  readonly receipts?: readonly Receipt[];
  readonly anchors?: readonly AnchoredRoot[];
  /** A sentence on an anchor that was damaged, or belongs to another ledger; null where there is none. */
  readonly brokenAnchor?: string | null;
}

/** Notes what receipts and anchors speak of as the walk comes by it, and holds them against it at the end. */
export class OutsideWalk {
  readonly #memory: OutsideMemory;
  readonly #sizes: readonly number[];
  /** That of no entries everybody knows. */
  readonly #roots = new Map([[0, new Frontier().root()]]);
  readonly #leaves = new Map<number, string>();
  readonly #start: number;
  #at = 0;

  /** `start`: entries before the walk, which are not there. */
  constructor(memory: OutsideMemory, start: number) {
    this.#memory = memory;
    this.#start = start;
    const sizes = sizesIn(memory).filter((size) => size >= start);
    this.#sizes = [...new Set(sizes)].toSorted((a, b) => a - b);
  }

  /** The next size that something speaks of. */
  get next(): number | undefined {
    return this.#sizes[this.#at];
  }

  /** The walk has come to a size. */
  note(size: number, root: string, leaf: string): void {
    if (this.next !== size) return;
    this.#at += 1;
    this.#roots.set(size, root);
    if (size > 0) this.#leaves.set(size, leaf);
  }

  /**
   * After the last entry, of which hashes have been recomputed. A contradiction with any of them is final:
   * nothing in the ledger can explain it away.
   */
  check(entries: number): Finding | null {
    const { receipts = [], anchors = [], brokenAnchor = null } = this.#memory;
    if (brokenAnchor !== null) return { seq: 0, class: 'anchor', detail: brokenAnchor };
    for (const { seq, leaf } of receipts) {
      const found = this.#leaves.get(seq);
      if (found === leaf || this.#isUnseen(seq)) continue;
      const detail =
        found === undefined ? 'it is not there, and a receipt names it' : 'a receipt names another leaf';
      return { seq, class: 'receipt', detail };
    }
    for (const { size, root, source } of anchors) {
      if (size > entries) {
        const detail = `it is not there, ${source} knows ${size} entries`;
        return { seq: entries + 1, class: 'anchor', detail };
      }
      if (this.#roots.get(size) !== root && !this.#isUnseen(size))
        return { seq: size, class: 'anchor', detail: `${source} names another root at this size` };
    }
    return null;
  }

  /** Receipts and anchors that nobody could hold against anything: what they speak of is not there. */
  get unseen(): number {
    return sizesIn(this.#memory).filter((size) => this.#isUnseen(size)).length;
  }

  #isUnseen(size: number): boolean {
    return size > 0 && size < this.#start;
  }
}

function sizesIn({ receipts = [], anchors = [] }: OutsideMemory): number[] {
  return [...receipts.map(({ seq }) => seq), ...anchors.map(({ size }) => size)];
}
