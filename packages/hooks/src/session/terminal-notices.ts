import type { Refused } from '@subluminal/agent';

/** One notice of a session in so long. */
const APART_MS = 10_000;
/** Questions of which it is known that they were told. */
const MAX_KNOWN = 512;
const MAX_TEXT = 160;

/** The notices of questions that a client shows in its own terminal: each once, and few of them. */
export class TerminalNotices {
  readonly #isWanted: () => boolean;
  readonly #monotonic: () => number;
  readonly #known = new Set<string>();
  #lastMs = -APART_MS;
  /** Questions that came too soon after another. */
  #untold = 0;

  constructor(isWanted: () => boolean, monotonic: () => number) {
    this.#isWanted = isWanted;
    this.#monotonic = monotonic;
  }

  /** The notice to go with that refusal; undefined where it is no question, or no new one. */
  of({ details: { hint, summary } }: Pick<Refused, 'details'>): string | undefined {
    const id = hint?.approval?.id;
    if (id === undefined || this.#known.has(id) || !this.#isWanted()) return undefined;
    this.#known.add(id);
    const [oldest] = this.#known;
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    const now = this.#monotonic();
    if (now - this.#lastMs < APART_MS) {
      this.#untold += 1;
      return undefined;
    }
    const more = this.#untold === 0 ? '' : ` (and ${this.#untold} more)`;
    this.#lastMs = now;
    this.#untold = 0;
    return `sub asks${more}: ${plain(summary)}`;
  }
}

/** A text that ends no escape sequence, and begins none. A cut leaves no half of a character. */
function plain(text: string): string {
  return text.slice(0, MAX_TEXT).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
}
