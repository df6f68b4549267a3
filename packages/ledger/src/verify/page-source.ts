import type { Database } from 'better-sqlite3';
import { PAGE, PageReader, type Page } from './page-text.js';

/** A page cache that fits into the processor's: each page of a file is read once and in order. */
const CACHE_KIB = 1024;

/** The entries `first` … `last` of an open file. */
export interface FileRange {
  readonly db: Database;
  readonly first: number;
  readonly last: number;
}

/** The pages of files that follow each other, behind the leaf `before`; none holds entries of two. */
export function* readPages(
  files: Iterable<FileRange>,
  { ledgerId, before }: { readonly ledgerId: string; readonly before: string },
): Iterable<Page> {
  let leaf = before;
  for (const { db, first, last } of files) {
    db.pragma(`cache_size=-${CACHE_KIB}`);
    const reader = new PageReader(db, ledgerId);
    for (let from = first; from <= last; from += PAGE) {
      const page = reader.read(from, Math.min(last, from + PAGE - 1), leaf);
      yield page;
      leaf = page.rows?.at(-1)?.leaf ?? reader.storedLeaf(page.last);
    }
  }
}
