import type { KeyObject } from 'node:crypto';
import type { HeadsLine } from '../head/heads-log.js';
import { openCheckpoint } from '../head/note.js';
import { HEAD_ENTRIES, type Head, type HeadRow } from '../head/row.js';
import type { Genesis } from '../genesis/record.js';
import type { GrowingTree } from './growing-tree.js';
import type { OutsideWalk } from './outside.js';
import type { Finding } from './report.js';
import type { SealWalk } from './seals.js';

/** Where a walk has come to. */
export interface WalkState {
  readonly frontier: GrowingTree;
  /** The leaf of the last entry. */
  readonly leaf: string;
  /** Pendings without a result. */
  readonly open: ReadonlySet<number>;
  readonly seals: Pick<SealWalk, 'key'>;
}

/** The head of a file. */
export interface StoredHead {
  readonly head: Head;
  readonly row: HeadRow;
}

/**
 * Compares the tree, as it grows, with the head and mark of each file, the lines of heads.log and every other
 * memory.
 */
export class Checkpoints {
  readonly #genesis: Genesis;
  readonly #lines: readonly HeadsLine[];
  readonly #outside: OutsideWalk;
  #stored: StoredHead | undefined;
  #line = 0;
  #next = 0;

  constructor(genesis: Genesis, lines: readonly HeadsLine[], outside: OutsideWalk) {
    this.#genesis = genesis;
    this.#lines = lines;
    this.#outside = outside;
  }

  /** The next size at which `check` has something to compare. */
  get next(): number {
    return this.#next;
  }

  /**
   * Goes on in a file that begins at the present size. Nobody can prove any more what is remembered of
   * smaller ones.
   */
  enter(stored: StoredHead, state: WalkState): Finding | null {
    const { size } = state.frontier;
    const { head } = stored;
    this.#stored = stored;
    while ((this.#lines[this.#line]?.size ?? size) < size) this.#line += 1;
    if (head.checkpoint.size < size)
      return finding(size, 'head', 'the signed head of its file covers less than lies before it');
    if (head.mark.size < size) return finding(size, 'head', 'the mark of its file lies before it');
    this.#advance(size - 1);
    return this.#next === size ? this.check(state) : null;
  }

  /** Compares everything that speaks of the tree's present size. */
  check(state: WalkState): Finding | null {
    const { size } = state.frontier;
    const root = state.frontier.root();
    const wrong = this.#checkHead(state, size, root) ?? this.#checkLines(size, root);
    this.#outside.note(size, root, state.leaf);
    this.#advance(size);
    return wrong;
  }

  /** After the last entry of a closed file: its head covers all of it. */
  leave(size: number): Finding | null {
    return this.#stored?.head.checkpoint.size === size
      ? null
      : finding(size, 'head', 'the signed head of its file, which is closed, does not cover it');
  }

  /** After the last entry: nothing may speak of more entries than there are. */
  settle(size: number): Finding | null {
    const line = this.#lines[this.#line];
    if (line !== undefined)
      return finding(size + 1, 'heads_log', `it is not there, the heads log knows ${line.size}`);
    const signed = this.#stored?.head.checkpoint.size ?? 0;
    if (size - signed >= HEAD_ENTRIES) {
      const detail = `${size - signed} entries lie behind the signed head, more than a writer leaves there`;
      return finding(signed + 1, 'head', detail);
    }
    return signed > size
      ? finding(size + 1, 'head', `it is not there, the signed head covers ${signed}`)
      : null;
  }

  #checkHead({ frontier, open, seals }: WalkState, size: number, root: string): Finding | null {
    if (this.#stored === undefined) return null;
    const { head, row } = this.#stored;
    if (size === head.checkpoint.size) {
      // The stored frontier gives the head's root. If the roots agree, so do the frontiers.
      if (root !== head.checkpoint.root) return finding(size, 'head', 'the signed head names another root');
      if (!this.#isSigned(row, seals.key))
        return finding(size, 'head', 'the seal key in force did not sign the head');
      if (`[${[...open].join(',')}]` !== row.open)
        return finding(size, 'head', 'the list of open entries differs');
    }
    return size === head.mark.size && !frontier.toBytes().equals(row.mark_frontier)
      ? finding(size, 'head', 'the stored mark differs')
      : null;
  }

  #checkLines(size: number, root: string): Finding | null {
    for (let line = this.#lines[this.#line]; line?.size === size; line = this.#lines[this.#line]) {
      if (line.root !== root)
        return finding(size, 'heads_log', 'the heads log names another root at this size');
      this.#line += 1;
    }
    return null;
  }

  /** The smallest size of interest beyond `size`. */
  #advance(size: number): void {
    const { head } = this.#stored ?? {};
    const sizes = [head?.checkpoint.size, head?.mark.size, this.#lines[this.#line]?.size, this.#outside.next];
    this.#next = Math.min(...sizes.map((at) => (at === undefined || at <= size ? Infinity : at)));
  }

  #isSigned({ note }: HeadRow, seal: KeyObject): boolean {
    const { ledgerId, publicKey: log } = this.#genesis;
    return openCheckpoint(ledgerId, note, { log, seal }) !== undefined;
  }
}

function finding(seq: number, kind: 'head' | 'heads_log', detail: string): Finding {
  return { seq, class: kind, detail };
}
