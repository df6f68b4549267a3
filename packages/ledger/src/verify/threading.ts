import { checkFiles, type FaultyFile } from './integrity.js';
import { PagesHere, type OpenRange, type PageRange, type PageSource } from './page-source.js';
import { IntegrityApart, PagesApart } from './threads.js';

/** With fewer entries a thread takes longer to start than it saves. */
const FEWEST_ENTRIES = 50_000;

/** Where the parts of a verification are done that need nothing but the file. */
export interface Threading {
  /** True once a thread was started. */
  readonly areThreads: boolean;
  /** The pages of files. Those that are open are the verification's own connections. */
  pages(range: PageRange<OpenRange>): PageSource;
  /** Call it after `pages`, with the same files. */
  integrity(files: readonly OpenRange[]): Promise<FaultyFile | null>;
  /** Ends what was started. */
  close(): void;
}

/** Everything in the calling thread, each file on one connection and in one transaction. */
export class OneThread implements Threading {
  readonly areThreads = false;

  pages(range: PageRange<OpenRange>): PageSource {
    return new PagesHere(range);
  }

  async integrity(files: readonly OpenRange[]): Promise<FaultyFile | null> {
    return checkFiles(files.map(({ db }) => db));
  }

  close(): void {
    // Nothing was started.
  }
}

/**
 * One thread reads and hashes the entries, one lets SQLite check the files, the calling one compares everything else.
 *
 * Each has snapshots of its own, taken after the calling thread's. That hides nothing: only entries up to the newest
 * of the first snapshots are read, and those of the later ones have to give the roots that were signed in the first. And
 * an honest writer causes no alarm: it changes nothing up to that entry, and the calling thread has its file open, which
 * keeps the ledger in it. A finding from here is not the verdict all the
 * same: `verifyLedger` repeats everything in one snapshot.
 */
export class Threads implements Threading {
  readonly #url: URL;
  readonly #fewest: number;
  #pages: PagesApart | undefined;
  #integrity: IntegrityApart | undefined;

  /** `url`: the threads' file, where it does not lie beside this module. */
  constructor(url: URL | undefined, fewest = FEWEST_ENTRIES) {
    this.#url = url ?? new URL('./verify-worker-main.js', import.meta.url);
    this.#fewest = fewest;
  }

  get areThreads(): boolean {
    return this.#pages !== undefined;
  }

  pages(range: PageRange<OpenRange>): PageSource {
    const entries = range.files.reduce((sum, { first, last }) => sum + last - first + 1, 0);
    if (entries < this.#fewest) return new PagesHere(range);
    const files = range.files.map(({ path, first, last }) => ({ path, first, last }));
    this.#integrity = new IntegrityApart(this.#url, files);
    this.#pages = new PagesApart(this.#url, { ...range, files });
    return this.#pages;
  }

  async integrity(files: readonly OpenRange[]): Promise<FaultyFile | null> {
    return this.#integrity === undefined ? checkFiles(files.map(({ db }) => db)) : this.#integrity.faulty();
  }

  close(): void {
    this.#pages?.close();
    this.#integrity?.close();
  }
}
