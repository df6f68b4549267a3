import type { ShownQuestion } from '../verbs/approvals/question.js';
import { type KeyAnswer, meaningOf } from './keys.js';

export interface WatchingParts {
  /** Gives an answer. Rejects with a `SublError` where it comes too late. */
  readonly answer: (question: ShownQuestion, answer: Exclude<KeyAnswer, 'later'>) => Promise<void>;
  readonly show: (question: ShownQuestion) => void;
  /** Tells one line. */
  readonly tell: (line: string) => void;
  readonly now: () => number;
}

/**
 * The questions that a person at a terminal is shown, one at a time, the oldest first. A key answers the one
 * that is shown and no other.
 */
export class Watching {
  readonly #parts: WatchingParts;
  #waiting: readonly ShownQuestion[] = [];
  #shown: ShownQuestion | undefined;
  #shownAt: number | undefined;
  /** Those that the person wants to answer later, or that are answered. */
  readonly #passed = new Set<string>();
  #isAnswering = false;

  constructor(parts: WatchingParts) {
    this.#parts = parts;
  }

  /** Takes the questions that wait now, and shows the next one. Undefined: nobody could say which wait. */
  take(questions: readonly ShownQuestion[] | undefined): void {
    if (questions === undefined) return;
    this.#waiting = questions.filter(({ state }) => state === 'pending');
    const ids = new Set(questions.map(({ id }) => id));
    for (const id of this.#passed) if (!ids.has(id)) this.#passed.delete(id);
    if (
      this.#shown !== undefined &&
      !this.#isAnswering &&
      !this.#waiting.some(({ id }) => id === this.#shown?.id)
    ) {
      this.#parts.tell('the question was answered elsewhere, or has expired');
      this.#forget();
    }
    this.#next();
  }

  /** Takes a key. Tells whether the view goes on. */
  async key(key: string): Promise<boolean> {
    const meaning = meaningOf(key, this.#shownAt, this.#parts.now());
    if (meaning === 'end') return false;
    const question = this.#shown;
    if (meaning === undefined || question === undefined || this.#isAnswering) return true;
    if (meaning === 'too soon') {
      this.#parts.tell('that key came before the question could be read: press it again');
      return true;
    }
    if (!question.isWhole && (meaning === 'once' || meaning === 'run')) {
      this.#parts.tell(
        'not all of this call is shown: read it with `sub show`, then `sub approvals approve`',
      );
      return true;
    }
    this.#passed.add(question.id);
    if (meaning !== 'later') {
      this.#isAnswering = true;
      try {
        await this.#parts.answer(question, meaning);
      } finally {
        this.#isAnswering = false;
      }
    }
    this.#forget();
    this.#next();
    return true;
  }

  #forget(): void {
    this.#shown = undefined;
    this.#shownAt = undefined;
  }

  #next(): void {
    if (this.#shown !== undefined) return;
    this.#shown = this.#waiting.find(({ id }) => !this.#passed.has(id));
    if (this.#shown === undefined) return;
    this.#shownAt = this.#parts.now();
    this.#parts.show(this.#shown);
  }
}
