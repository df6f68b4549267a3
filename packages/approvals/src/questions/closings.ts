import { isSublError } from '@subluminal/core-types';
import type { ClosedBy, Clock, Question, Recorder } from '@subluminal/gateway';
import { answerEntry } from './answer-entry.js';

export interface ClosingsParts {
  readonly recorder: Pick<Recorder, 'append'>;
  readonly clock: Clock;
  readonly isLive: (runId: string) => boolean;
}

interface Closing {
  readonly question: Question;
  readonly by: ClosedBy;
  isUnderWay: boolean;
}

/**
 * The entries of questions that are closed already. Each is written until it is durable: a question is not
 * forgotten before, and the next start of the gateway finds the ones that are not.
 */
export class Closings {
  readonly #parts: ClosingsParts;
  /** At most as many as questions wait. */
  readonly #open = new Map<string, Closing>();

  constructor(parts: ClosingsParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  add(question: Question, by: ClosedBy): void {
    const closing = { question, by, isUnderWay: false };
    this.#open.set(question.id, closing);
    void this.#write(closing);
  }

  /** Writes those again that could not be written. */
  retry(): void {
    for (const closing of this.#open.values()) if (!closing.isUnderWay) void this.#write(closing);
  }

  async #write(closing: Closing): Promise<void> {
    const { recorder, clock, isLive } = this.#parts;
    const { by, question } = closing;
    closing.isUnderWay = true;
    const entry = answerEntry('approval_denied', question, clock(), { closed: by });
    // Nothing is written of a run that has ended: the entry names it, and is the gateway's own.
    const isOver = by === 'run_ended' || !isLive(question.runId);
    try {
      await recorder.append({ entries: [isOver ? { ...entry, runId: null } : entry] });
      this.#open.delete(question.id);
    } catch (error) {
      // The recorder has told the log.
      if (!isSublError(error)) throw error;
    } finally {
      closing.isUnderWay = false;
    }
  }
}
