import { SublError } from '@subluminal/core-types';
import type { Database, Statement } from 'better-sqlite3';
import { Frontier } from './frontier.js';
import { EMPTY_ROOT, nodeHash, splitPoint } from './hashes.js';

/** Leaves below one tile of the next level. */
const FAN = 256;
/** A tile of this level would hold more leaves than a safe integer counts. */
const MAX_LEVEL = 6;

/** A file of a ledger, as the tree reads it. */
export interface TreeFile {
  /** Where it begins: the leaves before it are folded into the frontier. */
  readonly base: { readonly seq: number; readonly frontier: Frontier };
  /** Leaf hashes of entries, both included. */
  readonly leaves: (first: number, last: number) => Buffer[];
}

/** The files that hold a ledger's leaves. */
export interface TreeFiles {
  /** The file that holds an entry; undefined where it is not there. */
  readonly holding: (seq: number) => TreeFile | undefined;
  /** The oldest file there that begins behind an entry. */
  readonly after: (seq: number) => TreeFile | undefined;
  /** Throws the error that names the file of an entry that is not there. */
  readonly refuse: (seq: number) => never;
}

/**
 * The RFC 6962 tree over a ledger's leaves, read from its files: leaf `i` is `entry.hash` of entry `i + 1`,
 * and `tile` holds the root of every complete subtree of 256, 256², … leaves, in the newest file those of
 * all. Nothing is proved by reading: a proof is worth what the signed checkpoint that it leads to is worth,
 * and whoever hands one out verifies it first.
 */
export class MerkleTree {
  readonly #size: Statement<[], number>;
  readonly #files: TreeFiles;
  readonly #tiles: Statement<[number, number, number], Buffer>;

  /**
   * `db`: the newest file; `files`: all of them, where there are others. Call its methods inside one read
   * transaction where the ledger may grow meanwhile.
   */
  constructor(db: Database, files?: TreeFiles) {
    this.#size = db.prepare<[], number>('SELECT coalesce(max(seq),0) AS tree_size FROM entry').pluck();
    this.#tiles = db
      .prepare<[number, number, number], Buffer>(
        'SELECT hash FROM tile WHERE lvl = ? AND idx BETWEEN ? AND ? ORDER BY idx',
      )
      .pluck();
    this.#files = files ?? alone(db);
  }

  /** Entries of the ledger. */
  get size(): number {
    return this.#size.get() ?? 0;
  }

  /** Root over the first `size` leaves, lowercase hex. Throws `not_found` beyond the last entry. */
  root(size: number): string {
    this.#assertSize(size);
    return size === 0 ? EMPTY_ROOT : this.#range(0, size);
  }

  /**
   * The inclusion proof of leaf `index` (from 0) in the tree over the first `size` leaves, from the leaf's
   * sibling up (RFC 6962 §2.1.1). Throws `not_found`.
   */
  inclusion(index: number, size: number): string[] {
    this.#assertSize(size);
    if (!Number.isSafeInteger(index) || index < 0 || index >= size) {
      throw new SublError('not_found', `there is no leaf ${index} in a tree of ${size}`);
    }
    const path: string[] = [];
    let [first, end] = [0, size];
    while (end - first > 1) {
      const middle = first + splitPoint(end - first);
      if (index < middle) {
        path.push(this.#range(middle, end));
        end = middle;
      } else {
        path.push(this.#range(first, middle));
        first = middle;
      }
    }
    return path.toReversed();
  }

  /**
   * The proof that the tree over the first `to` leaves continues the one over the first `from` (RFC 6962
   * §2.1.2). Empty where one of them is empty or both are the same. Throws `not_found`.
   */
  consistency(from: number, to: number): string[] {
    this.#assertSize(to);
    if (!Number.isSafeInteger(from) || from < 0 || from > to) {
      throw new SublError('not_found', `a tree of ${to} does not continue one of ${from}`);
    }
    if (from === 0 || from === to) return [];
    const path: string[] = [];
    let [first, end] = [0, to];
    // The part of the older tree that lies in [first, end) ends at `from`; once they coincide it is a node of
    // both.
    while (end !== from) {
      const middle = first + splitPoint(end - first);
      if (from <= middle) {
        path.push(this.#range(middle, end));
        end = middle;
      } else {
        path.push(this.#range(first, middle));
        first = middle;
      }
    }
    // A subtree that begins at the first leaf is the older tree itself: its root is known to who asks.
    if (first > 0) path.push(this.#range(first, end));
    return path.toReversed();
  }

  #assertSize(size: number): void {
    if (Number.isSafeInteger(size) && size >= 0 && size <= this.size) return;
    throw new SublError('not_found', `the ledger has ${this.size} entries, not ${size}`);
  }

  /** Root over the leaves [first, end), one of the subtrees that RFC 6962 splits a tree into. */
  #range(first: number, end: number): string {
    const count = end - first;
    if (isPowerOfTwo(count)) return this.#complete(first, count);
    const middle = first + splitPoint(count);
    return nodeHash(this.#range(first, middle), this.#range(middle, end));
  }

  /** Root of a complete subtree: folded from at most 256 hashes of the highest tiles that fit into it. */
  #complete(first: number, count: number): string {
    let width = 1;
    let level = 0;
    while (level < MAX_LEVEL && width * FAN <= count) {
      width *= FAN;
      level += 1;
    }
    return level === 0 ? this.#small(first, count) : fold(this.#hashes(level, first / width, count / width));
  }

  /**
   * Root of a complete subtree of up to 256 leaves. Of one whose leaves stand in several files the halves are
   * asked for, and where a file is not there, the frontier of the next one may hold what is needed.
   */
  #small(first: number, count: number): string {
    const end = first + count;
    const file = this.#files.holding(end);
    if (file !== undefined && first >= file.base.seq)
      return fold(hexOf(file.leaves(first + 1, end), count, `entry ${first + 1}`));
    const peak = file === undefined ? this.#files.after(end)?.base.frontier.peak(first, count) : undefined;
    if (peak !== undefined) return peak;
    if (count === 1) return this.#files.refuse(end);
    const half = count / 2;
    return nodeHash(this.#small(first, half), this.#small(first + half, half));
  }

  #hashes(level: number, first: number, count: number): string[] {
    const rows = this.#tiles.all(level, first, first + count - 1);
    return hexOf(rows, count, `tile ${level}/${first}`);
  }
}

function hexOf(rows: readonly Buffer[], count: number, what: string): string[] {
  if (rows.length === count) return rows.map((row) => row.toString('hex'));
  const why = `the ledger contradicts itself: ${what} or one after it is missing`;
  throw new SublError('ledger_corrupt', why);
}

/** The leaves of a file, as entries name them, both included. */
export function leavesOf(db: Database): TreeFile['leaves'] {
  const leaves = db
    .prepare<[number, number], Buffer>('SELECT hash FROM entry WHERE seq BETWEEN ? AND ? ORDER BY seq')
    .pluck();
  return (first, last) => leaves.all(first, last);
}

/** A file without those before it. */
function alone(db: Database, base: TreeFile['base'] = { seq: 0, frontier: new Frontier() }): TreeFiles {
  const file = { base, leaves: leavesOf(db) };
  return {
    holding: (seq) => (seq > base.seq ? file : undefined),
    after: (seq) => (seq > base.seq ? undefined : file),
    refuse: (seq) => {
      throw new SublError('not_found', `entry \`${seq}\` stands in an older file of the ledger`);
    },
  };
}

function fold(hashes: readonly string[]): string {
  let level = hashes;
  while (level.length > 1) {
    const next: string[] = [];
    for (let at = 0; at < level.length; at += 2) next.push(nodeHash(level[at] ?? '', level[at + 1] ?? ''));
    level = next;
  }
  return level[0] ?? EMPTY_ROOT;
}

function isPowerOfTwo(count: number): boolean {
  return Number.isInteger(Math.log2(count));
}
