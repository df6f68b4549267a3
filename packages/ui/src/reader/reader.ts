import { Worker } from 'node:worker_threads';
import { errorText, type Logger } from '@subluminal/gateway';
import { UiRefusal } from '../door/refusal.js';
import type { FeedStart } from './feed.js';
import type { FromReader, Question, ReaderStart, ToReader } from './questions.js';

/** Questions that wait at once; of more the page is told to come again. */
const MAX_WAITING = 64;
/** The thread ends after so long without a question or a page. */
const IDLE_MS = 60_000;
/**
 * How often the reader hears that the ledger has grown: at once after a pause, and seldom beside calls, which
 * pay for it.
 */
const HEAD_MS = 1000;

const STATUS: ReadonlyMap<string, number> = new Map([
  ['not_found', 404],
  ['usage', 400],
  ['invalid_request', 400],
]);

interface Waiting {
  readonly spent: (ms: number) => void;
  readonly resolve: (text: string) => void;
  readonly reject: (error: UiRefusal) => void;
}

/** Takes the frames for a page, and hears when nothing more comes. */
export interface FeedTold {
  readonly frame: (kind: string, text: string) => void;
  readonly lost: () => void;
}

/** The way to one feed. */
export interface FeedHandle {
  readonly ack: (n: number) => void;
  readonly pause: () => void;
  readonly resume: (from: number | null) => void;
  readonly close: () => void;
}

export interface ReaderParts extends ReaderStart {
  readonly head: () => number;
  /** Tells each time that entries are durable. Returns the function that ends it. */
  readonly onCommit: (listener: () => void) => () => void;
  readonly log: Logger;
}

/**
 * Reads the ledger for the page in a thread of its own, so that no question of a page holds up a decision.
 * The thread starts with the first question, and ends when nobody asks any more.
 */
export class Reader {
  readonly #parts: ReaderParts;
  readonly #waiting = new Map<number, Waiting>();
  readonly #feeds = new Map<number, FeedTold>();
  #worker: Worker | undefined;
  #next = 1;
  #leaveCommits: (() => void) | undefined;
  #headTimer: NodeJS.Timeout | undefined;
  #isGrown = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
  }

  /** Whether its thread runs. */
  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  /** The answer as text; `spent` is told how long the thread worked on it. @throws UiRefusal */
  ask(question: Question, spent: (ms: number) => void = () => undefined): Promise<string> {
    if (this.#waiting.size >= MAX_WAITING)
      return Promise.reject(new UiRefusal(429, 'too_many', 'too much is asked for at once'));
    const id = this.#next;
    this.#next += 1;
    return new Promise<string>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, spent });
      this.#send({ to: 'ask', id, question, head: this.#parts.head() });
    });
  }

  /** Begins to tell a page of the ledger. */
  feed(start: FeedStart, told: FeedTold): FeedHandle {
    const feed = this.#next;
    this.#next += 1;
    this.#feeds.set(feed, told);
    this.#send({ to: 'feed', feed, start, head: this.#parts.head() });
    this.#leaveCommits ??= this.#parts.onCommit(() => this.#headSoon());
    return {
      ack: (n) => this.#toFeed({ to: 'ack', feed, n }),
      pause: () => this.#toFeed({ to: 'pause', feed }),
      resume: (from) => this.#toFeed({ to: 'resume', feed, from }),
      close: () => {
        if (!this.#feeds.delete(feed)) return;
        this.#worker?.postMessage({ to: 'close', feed } satisfies ToReader);
        if (this.#feeds.size === 0) this.#noCommits();
        this.#idleSoon();
      },
    };
  }

  /** Ends the thread. Open questions are given up. */
  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#lost();
    await worker?.terminate();
  }

  #toFeed(message: Extract<ToReader, { readonly feed: number }>): void {
    if (this.#feeds.has(message.feed)) this.#worker?.postMessage(message);
  }

  #send(message: ToReader): void {
    clearTimeout(this.#idleTimer);
    this.#worker ??= this.#start();
    this.#worker.postMessage(message);
    this.#idleSoon();
  }

  #start(): Worker {
    const { ledgerDb, policyFile } = this.#parts;
    const start: ReaderStart = { ledgerDb, policyFile };
    const worker = new Worker(new URL('./ui-reader.js', import.meta.url), { workerData: start });
    worker.on('message', (message: FromReader) => this.#take(message));
    worker.on('error', (error) => {
      this.#parts.log.error('the reader of the page failed', { error: errorText(error) });
    });
    worker.on('exit', () => {
      if (this.#worker === worker) this.#lost();
    });
    worker.unref();
    return worker;
  }

  #take(message: FromReader): void {
    if (message.from === 'frame') {
      this.#feeds.get(message.feed)?.frame(message.kind, message.frame);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    waiting?.spent(message.ms);
    if (message.from === 'answer') waiting?.resolve(message.text);
    else {
      const { code, help, message: why } = message;
      waiting?.reject(new UiRefusal(STATUS.get(code) ?? 503, code, why, help));
    }
  }

  #headSoon(): void {
    this.#isGrown = true;
    if (this.#headTimer === undefined) this.#tellHead();
  }

  #tellHead(): void {
    this.#isGrown = false;
    this.#worker?.postMessage({ to: 'head', head: this.#parts.head() } satisfies ToReader);
    this.#headTimer = setTimeout(() => {
      this.#headTimer = undefined;
      if (this.#isGrown) this.#tellHead();
    }, HEAD_MS);
  }

  #idleSoon(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      if (this.#feeds.size > 0 || this.#waiting.size > 0) {
        this.#idleSoon();
        return;
      }
      const worker = this.#worker;
      this.#worker = undefined;
      void worker?.terminate();
    }, IDLE_MS);
    this.#idleTimer.unref();
  }

  #noCommits(): void {
    this.#leaveCommits?.();
    this.#leaveCommits = undefined;
    clearTimeout(this.#headTimer);
    this.#headTimer = undefined;
  }

  #lost(): void {
    this.#worker = undefined;
    clearTimeout(this.#idleTimer);
    this.#noCommits();
    const [waiting, feeds] = [[...this.#waiting.values()], [...this.#feeds.values()]];
    this.#waiting.clear();
    this.#feeds.clear();
    for (const { reject } of waiting)
      reject(new UiRefusal(503, 'failed', 'the ledger could not be read', 'ask again'));
    for (const { lost } of feeds) lost();
  }
}
