import type { Database } from 'better-sqlite3';
import { canonicalize } from '@subluminal/core-types';
import { expiryData, readExpiry, type ExpiryRange } from '../expiry/record.js';
import type { Finding } from './report.js';

interface Claimed extends ExpiryRange {
  readonly seq: number;
  /** Previews that the entries of the range committed to. */
  found: number;
}

/**
 * The previews that have expired. Their ranges are read before the walk, because an entry comes long after
 * the previews that it lets go, and often in a later file; each is confirmed when the walk comes to its
 * entry, whose hash is then known to be right. An index that was tampered with can only leave ranges out, or
 * bring in some that are never confirmed.
 */
export class Expiry {
  readonly #claimed: readonly Claimed[];
  readonly #start: number;
  #confirmed = 0;
  /** The one that was asked for last: ranges follow each other, and so do the questions. */
  #near: Claimed | undefined;

  /**
   * `files`: all of them, oldest first; `start`: entries before the walk, whose previews are not there to be
   * counted.
   */
  constructor(files: readonly Database[], start: number) {
    this.#start = start;
    const rows = files.flatMap((db) =>
      db
        .prepare<[], { seq: number; body: string }>(
          'SELECT seq, CAST(body AS TEXT) AS body FROM entry WHERE kind = 52 AND kind NOT IN (2,3,4,20,21) ORDER BY seq',
        )
        .all(),
    );
    this.#claimed = rows.flatMap(({ seq, body }) => {
      const range = rangeOf(body);
      return range === undefined ? [] : [{ seq, ...range, found: 0 }];
    });
  }

  /** Previews that have expired. */
  get expired(): number {
    return this.#claimed.reduce((sum, { count }) => sum + count, 0);
  }

  /** Whether an entry's previews may be gone. */
  covers(seq: number): boolean {
    return this.#rangeAt(seq) !== undefined;
  }

  /** Notes that an entry committed to a preview that was kept. */
  count(seq: number): void {
    const range = this.#rangeAt(seq);
    if (range !== undefined) range.found += 1;
  }

  /**
   * The walk has come to an entry of this kind: what it says has to be what was read before, and to fit what
   * it let go. `data` is compared as text: whoever deletes previews may read a repeated key in another way.
   */
  confirm(seq: number, body: string, data: string): Finding | null {
    const claimed = this.#claimed[this.#confirmed];
    const before = this.#claimed[this.#confirmed - 1];
    const range = rangeOf(body);
    const isWritten = range !== undefined && canonicalize(expiryData(range)) === data;
    if (!isWritten || claimed?.seq !== seq) return finding(seq, 'it does not name what has expired');
    const { from, to, count } = range;
    if (to >= seq) return finding(seq, 'it lets previews expire that are not older than itself');
    if (before !== undefined && from !== before.to + 1)
      return finding(seq, 'it does not go on where the entry before it ended');
    if (count !== claimed.found && (from > this.#start || count < claimed.found))
      return finding(seq, `it lets ${count} previews expire, and its range holds ${claimed.found}`);
    this.#confirmed += 1;
    return null;
  }

  /** After the last entry. */
  settle(): Finding | null {
    const open = this.#claimed[this.#confirmed];
    return open === undefined ? null : finding(open.seq, 'what it says of expired previews stands nowhere');
  }

  #rangeAt(seq: number): Claimed | undefined {
    const isAt = ({ from, to }: Claimed): boolean => from <= seq && seq <= to;
    if (seq > (this.#claimed.at(-1)?.to ?? 0)) return undefined;
    if (this.#near !== undefined && isAt(this.#near)) return this.#near;
    this.#near = this.#claimed.find(isAt);
    return this.#near;
  }
}

function rangeOf(body: string): ExpiryRange | undefined {
  try {
    return readExpiry(Object.getOwnPropertyDescriptor(Object(JSON.parse(body)), 'data')?.value);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function finding(seq: number, detail: string): Finding {
  return { seq, class: 'blob', detail };
}
