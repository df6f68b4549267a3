import type { MessagePort } from 'node:worker_threads';
import { errorOf } from './error-of.js';
import { type LedgerReader, openLedgerReader } from '@subluminal/ledger';
import { answer } from './answer.js';
import { Feed, type FeedParts } from './feed.js';
import type { FromReader, ReaderStart, ToReader } from './questions.js';
import { runCounts, type RunCounts } from '@subluminal/records';
import { Times } from './times.js';

/** A page is told at most once in this time. */
const BATCH_MS = 16;
/**
 * The files of the ledger are let go of so often: it goes on in another one only while nobody has them. To
 * open them anew costs as much as to read a hundred calls.
 */
const RELEASE_MS = 5000;

/** Answers questions and feeds pages, in the reader's own thread. */
export function serveReader(port: MessagePort, start: ReaderStart): void {
  const reader = openLedgerReader(start.ledgerDb);
  const serving = new ReaderServing(reader, start, (message) => port.postMessage(message));
  port.on('message', (message: ToReader) => serving.take(message));
}

class ReaderServing {
  readonly #reader: LedgerReader;
  readonly #start: ReaderStart;
  readonly #tell: (message: FromReader) => void;
  readonly #feeds = new Map<number, Feed>();
  readonly #times: Times;
  readonly #counts: RunCounts;
  #pumping: NodeJS.Timeout | undefined;
  #releasing: NodeJS.Timeout | undefined;

  constructor(reader: LedgerReader, start: ReaderStart, tell: (message: FromReader) => void) {
    this.#reader = reader;
    this.#start = start;
    this.#tell = tell;
    this.#times = new Times(reader);
    this.#counts = runCounts(reader);
  }

  take(message: ToReader): void {
    this.#releaseSoon();
    switch (message.to) {
      case 'ask':
        this.#answer(message);
        return;
      case 'head':
        for (const feed of this.#feeds.values()) feed.grown(message.head);
        break;
      case 'feed':
        this.#guarded(message.feed, () => this.#open(message));
        break;
      case 'ack':
        this.#feeds.get(message.feed)?.ack(message.n);
        break;
      case 'pause':
        this.#feeds.get(message.feed)?.pause();
        break;
      case 'resume':
        this.#guarded(message.feed, () => this.#feeds.get(message.feed)?.resume(message.from));
        break;
      case 'close':
        this.#feeds.delete(message.feed);
        return;
    }
    this.#pumpSoon();
  }

  #releaseSoon(): void {
    if (this.#releasing !== undefined) return;
    this.#releasing = setTimeout(() => {
      this.#releasing = undefined;
      this.#reader.release();
    }, RELEASE_MS);
  }

  #answer({ head, id, question }: Extract<ToReader, { to: 'ask' }>): void {
    const parts = {
      ...this.#start,
      reader: this.#reader,
      times: this.#times,
      counts: this.#counts,
      now: () => Date.now(),
    };
    const began = performance.now();
    const ms = (): number => performance.now() - began;
    try {
      const text = answer(parts, question, head);
      this.#tell({ from: 'answer', id, ms: ms(), text });
    } catch (error) {
      this.#tell({ from: 'failed', id, ms: ms(), ...errorOf(error) });
    }
  }

  #open({ feed, head, start }: Extract<ToReader, { to: 'feed' }>): void {
    const send: FeedParts['send'] = (frame) =>
      this.#tell({ from: 'frame', feed, kind: frame.t, frame: JSON.stringify(frame) });
    const parts: FeedParts = {
      reader: this.#reader,
      send,
      now: () => Date.now(),
      saw: (from, rows) => this.#times.saw(from, rows),
    };
    this.#feeds.set(feed, new Feed(parts, head, start));
  }

  #pumpSoon(): void {
    if (this.#pumping !== undefined) return;
    if (![...this.#feeds.values()].some(({ isDue }) => isDue)) return;
    this.#pumping = setTimeout(() => {
      this.#pumping = undefined;
      this.#releaseSoon();
      for (const [id, feed] of this.#feeds) this.#guarded(id, () => feed.step());
      this.#pumpSoon();
    }, BATCH_MS);
  }

  /** A failure ends one page, and not the thread that answers all of them. */
  #guarded(id: number, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#feeds.delete(id);
      const { message } = errorOf(error);
      const frame = JSON.stringify({ t: 'bye', code: 'failed', message });
      this.#tell({ from: 'frame', feed: id, kind: 'bye', frame });
    }
  }
}
