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

/** What is read: the entries of files that follow each other, behind the leaf `before`. */
export interface PageRange<File = FileRange> {
  readonly ledgerId: string;
  readonly files: readonly File[];
  readonly before: string;
}

/** The entries `first` … `last` of a file. */
export interface FileRange {
  readonly path: string;
  readonly first: number;
  readonly last: number;
}

/** The same with the file open. */
export interface OpenRange extends FileRange {
  readonly db: Database;
}

/** Reads and hashes in the calling thread, each page when it is asked for. */
export class PagesHere implements PageSource {
  readonly #pages: Iterator<PageText>;

  constructor(range: PageRange<OpenRange>) {
    this.#pages = readPages(range.files, range)[Symbol.iterator]();
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

/** The pages of files, read one by one; none holds entries of two. */
export function* readPages(
  files: Iterable<OpenRange>,
  { ledgerId, before }: Pick<PageRange, 'ledgerId' | 'before'>,
): Iterable<PageText> {
  let leaf = before;
  for (const { db, first, last } of files) {
    db.pragma(`cache_size=-${CACHE_KIB}`);
    const reader = new PageReader(db, ledgerId);
    for (let from = first; from <= last; from += PAGE) {
      const page = reader.read(from, Math.min(last, from + PAGE - 1), leaf);
      yield page;
      leaf = page.hashed?.leaves.at(-1) ?? reader.storedLeaf(page.last);
    }
  }
}
