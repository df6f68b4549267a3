import type { Database } from 'better-sqlite3';
import { checkIntegrity } from './integrity.js';
import { PagesHere, type PageRange, type PageSource } from './page-source.js';
import type { Finding } from './report.js';
import { IntegrityApart, PagesApart } from './threads.js';

/** With fewer entries a thread takes longer to start than it saves. */
const FEWEST_ENTRIES = 50_000;

/** Where the parts of a verification are done that need nothing but the file. */
export interface Helpers {
  /** True once a thread was started. */
  readonly areThreads: boolean;
  /** The pages of a range. `db` is the verification's own connection. */
  pages(db: Database, range: PageRange): PageSource;
  integrity(db: Database): Promise<Finding | null>;
  /** Ends what was started. */
  close(): void;
}

/** Everything in the calling thread, on one connection and in one transaction. */
export class NoHelpers implements Helpers {
  readonly areThreads = false;

  pages(db: Database, range: PageRange): PageSource {
    return new PagesHere(db, range);
  }

  async integrity(db: Database): Promise<Finding | null> {
    return checkIntegrity(db);
  }

  close(): void {
    // Nothing was started.
  }
}

/**
 * One thread reads and hashes the entries, one lets SQLite check the file, the calling one compares everything else.
 *
 * Each has a snapshot of its own, taken after the calling thread's. That hides nothing: only entries up to the newest
 * of the first snapshot are read, and those of the later one have to give the roots that were signed in the first. And
 * an honest writer causes no alarm: it changes nothing up to that entry. A finding from here is not the verdict all the
 * same: `verifyLedger` repeats everything in one snapshot.
 */
export class Threads implements Helpers {
  readonly #path: string;
  readonly #url: URL;
  readonly #fewest: number;
  #pages: PagesApart | undefined;
  #integrity: IntegrityApart | undefined;

  /** `url`: the threads' file, where it does not lie beside this module. */
  constructor(path: string, url: URL | undefined, fewest = FEWEST_ENTRIES) {
    this.#path = path;
    this.#url = url ?? new URL('./verify-worker-main.js', import.meta.url);
    this.#fewest = fewest;
  }

  get areThreads(): boolean {
    return this.#pages !== undefined;
  }

  pages(db: Database, range: PageRange): PageSource {
    if (range.last - range.first + 1 < this.#fewest) return new PagesHere(db, range);
    this.#integrity = new IntegrityApart(this.#url, this.#path);
    this.#pages = new PagesApart(this.#url, this.#path, range);
    return this.#pages;
  }

  async integrity(db: Database): Promise<Finding | null> {
    return this.#integrity === undefined ? checkIntegrity(db) : this.#integrity.finding();
  }

  close(): void {
    this.#pages?.close();
    this.#integrity?.close();
  }
}
