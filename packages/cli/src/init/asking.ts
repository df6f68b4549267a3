import { Answers } from '../output/ask.js';
import type { Output } from '../output/output.js';

/** How a step is told whether it is wanted. */
export interface Asking {
  /** Nobody is asked, so that nothing is explained. */
  readonly isSilent: boolean;
  /** A question whose answer is yes unless somebody says no. `more` is shown to those who want to see it. */
  agrees(question: string, more?: () => readonly string[]): Promise<boolean>;
  /** One of so many numbered things, the first unless another is said; undefined for none. */
  chosen(count: number): Promise<number | undefined>;
  close(): void;
}

/** Everything is wanted: the flags have said so. */
export const WANTS_ALL: Asking = {
  isSilent: true,
  agrees: () => Promise.resolve(true),
  chosen: () => Promise.resolve(0),
  close: () => undefined,
};

/** Asks on the terminal. Questions end, as the input does, with the reason of `signal`. */
export class TerminalAsking implements Asking {
  readonly isSilent = false;
  readonly #output: Output;
  readonly #signal: AbortSignal;
  readonly #stop: () => void;
  readonly #aborted: Promise<never>;
  #answers: Answers | undefined;

  /** `stop` calls all of it off. */
  constructor(output: Output, signal: AbortSignal, stop: () => void) {
    this.#output = output;
    this.#signal = signal;
    this.#stop = stop;
    this.#aborted = aborted(signal);
    // Heard by whoever asks; between questions nobody does.
    this.#aborted.catch(() => undefined);
  }

  async agrees(question: string, more?: () => readonly string[]): Promise<boolean> {
    for (;;) {
      const answer = await this.#ask(`${question} (Y/n${more === undefined ? '' : ', d: the difference'}) `);
      if (/^y(es)?$|^$/i.test(answer)) return true;
      if (/^no?$/i.test(answer)) return false;
      if (/^d(iff)?$/i.test(answer) && more !== undefined) this.#output.lines(more());
    }
  }

  async chosen(count: number): Promise<number | undefined> {
    for (;;) {
      const answer = await this.#ask(`which one? (1-${count}, Enter for 1, n for none) `);
      if (answer === '') return 0;
      if (/^no?(ne)?$/i.test(answer)) return undefined;
      const number = /^[0-9]{1,3}$/.test(answer) ? Number(answer) : 0;
      if (number >= 1 && number <= count) return number - 1;
    }
  }

  close(): void {
    this.#answers?.close();
  }

  async #ask(question: string): Promise<string> {
    this.#signal.throwIfAborted();
    this.#answers ??= new Answers(process.stdin);
    this.#output.question(question);
    const answer = await Promise.race([this.#answers.next(), this.#aborted]);
    if (this.#answers.ended) {
      // The end of the input is no answer, and least of all a yes.
      this.#output.rawError('\n');
      this.#stop();
    }
    this.#signal.throwIfAborted();
    return answer.trim();
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', end, { once: true });
  });
}
