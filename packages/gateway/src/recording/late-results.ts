import { isSublError } from '@subluminal/core-types';
import type { EntryInput, Ledger } from '@subluminal/ledger';
import { errorText, type Logger } from '../logging/logger.js';
import type { Recorder } from './recorder.js';

/** What is listened to and written with. */
export interface LateResultsParts {
  readonly ledger: Pick<Ledger, 'onCommit'>;
  readonly recorder: Recorder;
  readonly log: Logger;
}

/**
 * Results that the ledger did not take: whoever asked was told `in_doubt`. They are written with the first commit that
 * succeeds, so that nothing stays pending in a gateway that goes on, and a client that resends learns what came of it.
 * A gateway that ends before leaves that to the next start, which closes the pending entry as interrupted.
 */
export class LateResults {
  readonly #parts: LateResultsParts;
  /** By the pending entry that they end; the ledger leaves no more of those open than 16,384. */
  readonly #waiting = new Map<number, EntryInput>();
  #writing = false;

  constructor(parts: LateResultsParts) {
    this.#parts = parts;
  }

  /** Keeps the result of the entry `pendingSeq` until it can be written. */
  add(pendingSeq: number, result: EntryInput): void {
    this.#waiting.set(pendingSeq, result);
  }

  /** Begins to listen. Returns the function that ends it. */
  start(): () => void {
    return this.#parts.ledger.onCommit(() => {
      if (this.#waiting.size > 0 && !this.#writing) void this.#write();
    });
  }

  async #write(): Promise<void> {
    const { recorder, log } = this.#parts;
    this.#writing = true;
    try {
      for (const [seq, result] of this.#waiting) {
        try {
          // A conflict says that it has its result: it stood after all, or its run has ended.
          await recorder.append({ entries: [result] });
        } catch (error) {
          if (!isSublError(error, 'run_ended')) throw error;
        }
        this.#waiting.delete(seq);
      }
    } catch (error) {
      log.warn('results still wait to be recorded', { count: this.#waiting.size, error: errorText(error) });
    } finally {
      this.#writing = false;
    }
  }
}
