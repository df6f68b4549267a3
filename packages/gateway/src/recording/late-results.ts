import { isSublError } from '@subluminal/core-types';
import type { EntryInput, Ledger } from '@subluminal/ledger';
import { errorText, type Logger } from '../base/logger.js';
import type { Recorder } from './recorder.js';

export interface LateResultsParts {
  readonly ledger: Pick<Ledger, 'onCommit'>;
  readonly recorder: Recorder;
  readonly log: Logger;
}

interface Late {
  readonly result: EntryInput;
  readonly settled: () => void;
  tries: number;
}

/** A result that the ledger does not take though it takes others is left to the next start. */
const MOST_TRIES = 8;

/**
 * Results that the ledger did not take: whoever asked was told `in_doubt`. They are written with the first
 * commit that succeeds, so that nothing stays pending in a gateway that goes on, and a client that resends
 * learns what came of it. A gateway that ends before leaves that to the next start, which closes the pending
 * entry as interrupted.
 */
export class LateResults {
  readonly #parts: LateResultsParts;
  /** By the pending entry that they end; the ledger leaves no more of those open than 16,384. */
  readonly #waiting = new Map<number, Late>();
  #writing = false;

  constructor(parts: LateResultsParts) {
    this.#parts = parts;
  }

  /**
   * Keeps the result of the entry `pendingSeq` until it can be written; `settled` is called once the entry is
   * open no more.
   */
  add(pendingSeq: number, result: EntryInput, settled: () => void): void {
    this.#waiting.set(pendingSeq, { result, settled, tries: 0 });
  }

  /** Begins to listen. Returns the function that ends it. */
  start(): () => void {
    return this.#parts.ledger.onCommit(() => {
      if (this.#waiting.size > 0 && !this.#writing) void this.#write();
    });
  }

  async #write(): Promise<void> {
    const { log } = this.#parts;
    this.#writing = true;
    for (const [seq, late] of this.#waiting) {
      try {
        await this.#append(late.result);
        this.#waiting.delete(seq);
        late.settled();
      } catch (error) {
        late.tries += 1;
        const isLast = late.tries === MOST_TRIES;
        if (isLast) this.#waiting.delete(seq);
        const message = isLast ? 'a result is left to the next start' : 'a result still waits to be recorded';
        log.warn(message, { seq, error: errorText(error) });
      }
    }
    this.#writing = false;
  }

  async #append(result: EntryInput): Promise<void> {
    try {
      // A conflict says that it has its result: it stood after all, or its run has ended.
      await this.#parts.recorder.append({ entries: [result] });
    } catch (error) {
      if (!isSublError(error, 'run_ended')) throw error;
    }
  }
}
