import type { KeyObject } from 'node:crypto';
import type { HeadsLine } from '../head/heads-log.js';
import { openCheckpoint } from '../head/note.js';
import { HEAD_ENTRIES, type Head, type HeadRow } from '../head/row.js';
import type { Genesis } from '../genesis/record.js';
import type { EntryChecker } from './entries.js';
import type { Finding } from './report.js';

/** Compares the tree, as it grows, with the stored head, its mark and the lines of heads.log. */
export class Checkpoints {
  readonly #genesis: Genesis;
  readonly #head: Head;
  readonly #row: HeadRow;
  readonly #lines: readonly HeadsLine[];
  readonly #sizes: readonly number[];
  #at = 0;
  #line = 0;

  constructor(genesis: Genesis, head: Head, row: HeadRow, lines: readonly HeadsLine[]) {
    this.#genesis = genesis;
    this.#head = head;
    this.#row = row;
    this.#lines = lines;
    const sizes = [head.checkpoint.size, head.mark.size, ...lines.map((line) => line.size)];
    this.#sizes = [...new Set(sizes)].toSorted((a, b) => a - b);
  }

  /** The next size at which `check` has something to compare. */
  get next(): number {
    return this.#sizes[this.#at] ?? Number.POSITIVE_INFINITY;
  }

  /** Compares everything that speaks of the tree's present size. */
  check({ frontier, open, seals }: EntryChecker): Finding | null {
    const { size } = frontier;
    const root = frontier.root();
    this.#at += 1;
    if (size === this.#head.checkpoint.size) {
      if (root !== this.#head.checkpoint.root)
        return finding(size, 'head', 'the signed head names another root');
      if (seals !== null && !this.#isSigned(seals.key))
        return finding(size, 'head', 'the seal key in force did not sign the head');
      if (!frontier.toBytes().equals(this.#row.frontier))
        return finding(size, 'head', 'the stored frontier differs');
      if (`[${[...open].join(',')}]` !== this.#row.open)
        return finding(size, 'head', 'the list of open entries differs');
    }
    if (size === this.#head.mark.size && !frontier.toBytes().equals(this.#row.mark_frontier)) {
      return finding(size, 'head', 'the stored mark differs');
    }
    for (let line = this.#lines[this.#line]; line?.size === size; line = this.#lines[this.#line]) {
      if (line.root !== root)
        return finding(size, 'heads_log', 'the heads log names another root at this size');
      this.#line += 1;
    }
    return null;
  }

  #isSigned(seal: KeyObject): boolean {
    const { ledgerId, publicKey: log } = this.#genesis;
    return openCheckpoint(ledgerId, this.#row.note, { log, seal }) !== undefined;
  }

  /** After the last entry: nothing may speak of more entries than there are. */
  settle(size: number): Finding | null {
    const line = this.#lines[this.#line];
    if (line !== undefined)
      return finding(size + 1, 'heads_log', `it is not there, the heads log knows ${line.size}`);
    const signed = this.#head.checkpoint.size;
    if (size - signed >= HEAD_ENTRIES) {
      const detail = `${size - signed} entries lie behind the signed head, more than a writer leaves there`;
      return finding(signed + 1, 'head', detail);
    }
    return signed > size
      ? finding(size + 1, 'head', `it is not there, the signed head covers ${signed}`)
      : null;
  }
}

function finding(seq: number, kind: 'head' | 'heads_log', detail: string): Finding {
  return { seq, class: kind, detail };
}
