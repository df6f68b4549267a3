import type { Database, Statement } from 'better-sqlite3';
import { sha256Hex } from '@subluminal/core-types';
import { preimage } from '../entry/format.js';

/** Entries a page: its text stays below the size from which on V8 and malloc treat memory as large. */
export const PAGE = 64;
const COLUMN = '\u001f';
/** Invalid UTF-8 decodes to it, and so does the character itself. */
const REPLACEMENT = '\uFFFD';
const LEAF = 64;
/** Places noted of each entry. */
const ENDS = 4;

/** An entry as its columns say, in the text forms that the page query delivers. */
export interface EntryText {
  /** `kind,code,run,tool`. */
  readonly key: string;
  /** Decimal or `null`. */
  readonly ref: string;
  readonly ts: string;
  readonly hash: string;
  readonly body: string;
}

/** A page of entries as one string. */
export interface PageText {
  readonly first: number;
  readonly last: number;
  readonly text: string;
  /** Null where the page has to be read again row by row. */
  readonly hashed: HashedPage | null;
}

/** The hashes of a page. */
export interface HashedPage {
  /** The leaf of each entry, recomputed. */
  readonly leaves: readonly string[];
  /** Where in the text the body, the key, `ref` and `ts` of each entry end. */
  readonly ends: Int32Array;
}

/**
 * Reads entries a page at a time: SQLite joins a page's columns faster than it can hand them over one by one,
 * and in such an order that the preimage of every entry is one piece of the text:
 *
 * ```
 * NUL "subl/entry/v1" LF id LF n LF leaf(n-1) | LF body(n) |         the preimage of n
 *   US columns(n) US ref US ts US |
 *   NUL … n+1 LF leaf(n) | LF body(n+1) …                              the preimage of n+1
 * ```
 *
 * So each leaf is compared with its column once, and hashed into the next preimage from there. Control
 * characters do not occur unescaped in canonical JSON; a body that holds one gives a text that cannot be
 * walked in as many steps as it has rows. Hence rows are counted: a body could hold the text of an entry
 * whose row is gone.
 */
export class PageReader {
  readonly #joined: Statement<[string, string, number, number], Joined>;
  readonly #leaf: Statement<[number], string>;
  readonly #start: string;

  constructor(db: Database, ledgerId: string) {
    this.#start = startOf(ledgerId);
    this.#joined = db.prepare<[string, string, number, number], Joined>(
      `SELECT ? || group_concat(concat(char(10),body,char(31),kind,',',code,',',run,',',tool,char(31),coalesce(ref,'null'),
      char(31),ts,char(31),?,seq+1,char(10),lower(hex(hash))),'') AS joined, count(*) AS rows
      FROM entry NOT INDEXED WHERE seq BETWEEN ? AND ?`,
    );
    this.#leaf = db.prepare<[number], string>('SELECT lower(hex(hash)) FROM entry WHERE seq = ?').pluck();
  }

  /** Reads and hashes the entries `first` … `last`, which follow the leaf `before`. */
  read(first: number, last: number, before: string): PageText {
    const page = this.#joined.get(`${this.#start}${first}\n${before}`, this.#start, first, last);
    const text = page?.joined ?? '';
    const isWhole = page?.rows === last - first + 1 && !text.includes(REPLACEMENT);
    const hashed = isWhole ? hashPage(text, this.#start, first, last) : null;
    return { first, last, text, hashed };
  }

  /** The leaf that stands stored for an entry: where to go on behind a page that did not hash. */
  storedLeaf(seq: number): string {
    return this.#leaf.get(seq) ?? '';
  }
}

interface Joined {
  readonly joined: string | null;
  readonly rows: number;
}

/** Everything in a preimage before the seq. */
export function startOf(ledgerId: string): string {
  const [start = ''] = preimage(ledgerId, 0, '', '').split('0\n');
  return start;
}

/**
 * The leaves of a page, or null: one of them is not what its column says, or the text is not built as it has
 * to be.
 */
function hashPage(text: string, start: string, first: number, last: number): HashedPage | null {
  const leaves: string[] = [];
  const ends = new Int32Array((last - first + 1) * ENDS);
  let at = 0;
  for (let seq = first, end = 0; seq <= last; seq += 1, end += ENDS) {
    const bodyEnd = text.indexOf(COLUMN, at);
    const keyEnd = text.indexOf(COLUMN, bodyEnd + 1);
    const refEnd = text.indexOf(COLUMN, keyEnd + 1);
    const tsEnd = text.indexOf(COLUMN, refEnd + 1);
    const next = tsEnd + 1;
    const leaf = sha256Hex(text.slice(at, bodyEnd));
    // Exactly here: text between the four columns and the next preimage would be text that nobody hashed.
    const follows = `${start}${seq + 1}\n${leaf}${seq === last ? '' : '\n'}`;
    // Slices that are compared: `startsWith` takes four times as long. The four are always found: there are
    // as many rows as are walked through, and each brings four.
    if (text.slice(next, next + follows.length) !== follows) return null;
    leaves.push(leaf);
    ends[end] = bodyEnd;
    ends[end + 1] = keyEnd;
    ends[end + 2] = refEnd;
    ends[end + 3] = tsEnd;
    at = next;
  }
  const isAll = at + start.length + String(last + 1).length + 1 + LEAF === text.length;
  return isAll ? { leaves, ends } : null;
}

/** The entry of a hashed page that is its `index`-th; `start` is what `startOf` gives. */
export function entryOf(
  { first, text }: PageText,
  { leaves, ends }: HashedPage,
  start: string,
  index: number,
): EntryText {
  const end = index * ENDS;
  const bodyEnd = ends[end] ?? 0;
  const keyEnd = ends[end + 1] ?? 0;
  const refEnd = ends[end + 2] ?? 0;
  const tsEnd = ends[end + 3] ?? 0;
  const at = index === 0 ? 0 : (ends[end - 1] ?? 0) + 1;
  const bodyAt = at + start.length + String(first + index).length + LEAF + 2;
  return {
    key: text.slice(bodyEnd + 1, keyEnd),
    ref: text.slice(keyEnd + 1, refEnd),
    ts: text.slice(refEnd + 1, tsEnd),
    hash: leaves[index] ?? '',
    body: text.slice(bodyAt, bodyEnd),
  };
}
