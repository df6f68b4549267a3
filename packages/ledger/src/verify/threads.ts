import { SublError } from '@subluminal/core-types';
import { Worker } from 'node:worker_threads';
import type { FaultyFile } from './integrity.js';
import type { FileRange, PageRange, PageSource } from './page-source.js';
import type { PageText } from './page-text.js';

/** What a thread is started with. */
export type VerifyWork =
  | ({ readonly do: 'pages' } & PageRange)
  | { readonly do: 'integrity'; readonly files: readonly FileRange[] };

/**
 * What a thread answers: so many pages each time it is asked, null behind the last; the integrity check's outcome once.
 * A page is a message: from 128 KiB on the memory that a message is written into is mapped anew, which takes longer than
 * all else of it.
 */
export type VerifyAnswer = { readonly page: PageText | null } | { readonly faulty: FaultyFile | null };

/** Pages that are asked for at a time. */
export const PAGES_A_REQUEST = 8;

/** Requests on the way at a time, so that neither side waits for the other. */
const AHEAD = 3;

interface Waiting {
  readonly resolve: (answer: VerifyAnswer) => void;
  readonly reject: (error: SublError) => void;
}

/** A thread, its answers in order. */
class VerifyThread {
  readonly #worker: Worker;
  readonly #answers: VerifyAnswer[] = [];
  #waiting: Waiting | undefined;
  #dead: SublError | undefined;

  constructor(url: URL, work: VerifyWork) {
    this.#worker = new Worker(url, { workerData: work });
    this.#worker.on('message', (answer: VerifyAnswer) => {
      if (this.#waiting === undefined) this.#answers.push(answer);
      else this.#waiting.resolve(answer);
      this.#waiting = undefined;
    });
    this.#worker.on('error', (error: unknown) => this.#die(error));
    this.#worker.on('exit', () => this.#die(undefined));
  }

  ask(): void {
    this.#worker.postMessage('next');
  }

  /** An answer that has come already. */
  ready(): VerifyAnswer | undefined {
    return this.#answers.shift();
  }

  async answer(): Promise<VerifyAnswer> {
    const ready = this.ready();
    if (ready !== undefined) return ready;
    if (this.#dead !== undefined) throw this.#dead;
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** Does not wait: a thread inside of SQLite ends when that returns. */
  close(): void {
    this.#worker.unref();
    void this.#worker.terminate();
  }

  #die(cause: unknown): void {
    this.#dead ??= new SublError('failed', 'a thread of the verification ended', { cause });
    this.#waiting?.reject(this.#dead);
    this.#waiting = undefined;
  }
}

/** Pages that another thread reads and hashes. */
export class PagesApart implements PageSource {
  readonly #thread: VerifyThread;
  readonly #last: number | undefined;
  #taken = 0;

  constructor(url: URL, range: PageRange) {
    this.#last = range.files.at(-1)?.last;
    this.#thread = new VerifyThread(url, { do: 'pages', ...range });
    for (let count = 0; count < AHEAD; count += 1) this.#thread.ask();
  }

  async next(): Promise<Iterable<PageText>> {
    const pages: PageText[] = [];
    let answer: VerifyAnswer | undefined = await this.#thread.answer();
    for (; answer !== undefined; answer = this.#thread.ready()) {
      if (!('page' in answer) || answer.page === null)
        throw new SublError('failed', 'a thread of the verification gave no pages');
      pages.push(answer.page);
      this.#taken += 1;
      if (this.#taken % PAGES_A_REQUEST === 0) this.#thread.ask();
      if (pages.length === PAGES_A_REQUEST || answer.page.last === this.#last) break;
    }
    return pages;
  }

  close(): void {
    this.#thread.close();
  }
}

/** SQLite's own check in another thread, beside everything else. */
export class IntegrityApart {
  readonly #thread: VerifyThread;

  constructor(url: URL, files: readonly FileRange[]) {
    this.#thread = new VerifyThread(url, { do: 'integrity', files });
  }

  async faulty(): Promise<FaultyFile | null> {
    const answer = await this.#thread.answer();
    if (!('faulty' in answer))
      throw new SublError('failed', 'a thread of the verification gave the wrong answer');
    return answer.faulty;
  }

  close(): void {
    this.#thread.close();
  }
}
