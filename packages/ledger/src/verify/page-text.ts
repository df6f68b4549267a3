import { preimage } from '@subluminal/core-types';
import type { Database, Statement } from 'better-sqlite3';
import { Bytes } from './bytes.js';
import { GAP, readRows, ROW, type Row } from './row.js';

/** Entries a page: its text stays below the size from which on V8 and malloc treat memory as large. */
export const PAGE = 64;
/** Invalid UTF-8 decodes to it, and so does the character itself. */
const REPLACEMENT = '\uFFFD';
/** Bytes that a code unit of a text takes at most. */
const WIDEST = 3;
/** Holds the pages of most ledgers. */
const ROOM = 1 << 18;

/** A page of entries. */
export interface Page {
  readonly first: number;
  readonly last: number;
  /** Null where the page has to be read again row by row. */
  readonly rows: readonly Row[] | null;
}

/**
 * Reads entries a page at a time: SQLite joins a page's columns faster than it can hand them over one by one,
 * and a text faster than bytes. It is written into one buffer, page after page, and hashed and compared
 * there. Rows are counted: a column could hold the text of an entry whose row is gone.
 */
export class PageReader {
  readonly #joined: Statement<[string, string, number, number], Joined>;
  readonly #leaf: Statement<[number], string>;
  readonly #start: string;
  readonly #bytes = new Bytes(Buffer.alloc(ROOM));

  constructor(db: Database, ledgerId: string) {
    this.#start = startOf(ledgerId);
    this.#joined = db.prepare<[string, string, number, number], Joined>(
      `SELECT group_concat(${ROW},'') AS joined, CAST(group_concat(hash,'') AS BLOB) AS hashes, count(*) AS rows
      FROM entry NOT INDEXED WHERE seq BETWEEN ? AND ?`,
    );
    this.#leaf = db.prepare<[number], string>('SELECT lower(hex(hash)) FROM entry WHERE seq = ?').pluck();
  }

  /** Reads and hashes the entries `first` … `last`, which follow the leaf `before`. */
  read(first: number, last: number, before: string): Page {
    const page = this.#joined.get(this.#start, GAP, first, last);
    const { joined, hashes, rows: count } = page ?? NOTHING;
    if (joined === null || hashes === null || count !== last - first + 1 || joined.includes(REPLACEMENT))
      return { first, last, rows: null };
    const bytes = this.#roomFor(joined);
    const length = bytes.octets.write(joined);
    const rows = readRows({ bytes, length, start: this.#start, first, count, before, hashes });
    return { first, last, rows };
  }

  /** Memory for larger pages is not kept. */
  #roomFor(text: string): Bytes {
    const size = text.length * WIDEST <= ROOM ? 0 : Buffer.byteLength(text);
    return size <= ROOM ? this.#bytes : new Bytes(Buffer.alloc(size));
  }

  /** The leaf that stands stored for an entry: where to go on behind a page that did not hash. */
  storedLeaf(seq: number): string {
    return this.#leaf.get(seq) ?? '';
  }
}

interface Joined {
  readonly joined: string | null;
  readonly hashes: Buffer | null;
  readonly rows: number;
}

const NOTHING: Joined = { joined: null, hashes: null, rows: 0 };

/** Everything in a preimage before the seq. */
export function startOf(ledgerId: string): string {
  return preimage(ledgerId, 0, '', '').slice(0, -'0\n\n'.length);
}
