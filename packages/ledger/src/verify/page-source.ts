import type { Database } from 'better-sqlite3';
import { PAGE, PageReader, type PageText } from './page-text.js';

/** Pages read at a time: so often other work is let in, progress reported and an abort noticed. */
export const PAGES_A_TURN = 64;

/** What is read once and in order needs no larger cache, and one that fits into the processor's is faster. */
const CACHE_KIB = 1024;

/** Where the pages of a verification come from. */
export interface PageSource {
  /** The next pages in order; none behind the last. */
  next(): Promise<Iterable<PageText>>;
}

/** What is read: the entries `first` … `last` of a ledger, behind the leaf `before`. */
export interface PageRange {
  readonly ledgerId: string;
  readonly first: number;
  readonly last: number;
  readonly before: string;
}

/** Reads and hashes in the calling thread, each page when it is asked for. */
export class PagesHere implements PageSource {
  readonly #pages: Iterator<PageText>;

  constructor(db: Database, range: PageRange) {
    this.#pages = readPages(db, range)[Symbol.iterator]();
  }

  async next(): Promise<Iterable<PageText>> {
    return this.#turn();
  }

  *#turn(): Iterable<PageText> {
    for (let count = 0; count < PAGES_A_TURN; count += 1) {
      const { value, done } = this.#pages.next();
      if (done === true) return;
      yield value;
    }
  }
}

/** The pages of a range, read one by one. */
export function* readPages(db: Database, { ledgerId, first, last, before }: PageRange): Iterable<PageText> {
  db.pragma(`cache_size=-${CACHE_KIB}`);
  const reader = new PageReader(db, ledgerId);
  let leaf = before;
  for (let from = first; from <= last; from += PAGE) {
    const page = reader.read(from, Math.min(last, from + PAGE - 1), leaf);
    yield page;
    leaf = page.hashed?.leaves.at(-1) ?? reader.storedLeaf(page.last);
  }
}
