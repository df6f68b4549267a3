/** A text that must not pass, and what stands in its place: as many bytes. */
export interface Concealed {
  readonly from: Buffer;
  readonly to: Buffer;
}

/** The longest first, so that the longer writing of a value goes before the shorter one in it. */
export function inOrder(concealed: readonly Concealed[]): readonly Concealed[] {
  return concealed.toSorted((a, b) => b.from.length - a.from.length);
}

/** So many bytes that could be the beginning of a text are given on where nothing more comes for a while. */
const MAX_AHEAD = 4;

/**
 * Takes texts out of what comes in pieces, wherever a piece ends: what could be the beginning of one waits for the next piece, and nothing
 * else does. Lengths stay as they are.
 */
export class Conceal {
  readonly #texts: () => readonly Concealed[];
  /** What could be the beginning of a text, and how much of it is out already. */
  #held: Buffer = Buffer.alloc(0);
  #ahead = 0;

  /** `texts`: those of now, `inOrder`; more may come. */
  constructor(texts: () => readonly Concealed[]) {
    this.#texts = texts;
  }

  /** Whether something waits that `pause` would give. */
  get isWaiting(): boolean {
    return this.#held.length > this.#ahead && this.#held.length <= MAX_AHEAD;
  }

  /** What may pass. */
  push(chunk: Buffer): Buffer {
    const texts = this.#texts();
    const all = replaced(this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]), texts);
    const keeps = all.length - Math.max(0, ...texts.map(({ from }) => begunAtEnd(all, from)));
    const passed = all.subarray(this.#ahead, Math.max(this.#ahead, keeps));
    this.#held = all.subarray(keeps);
    this.#ahead = Math.max(0, this.#ahead - keeps);
    return passed;
  }

  /**
   * Nothing more comes for a while, and somebody may wait for a last byte that only looks like a beginning: a few are given on. Should it be
   * one after all, what follows is concealed nevertheless.
   */
  pause(): Buffer {
    if (!this.isWaiting) return Buffer.alloc(0);
    const passed = this.#held.subarray(this.#ahead);
    this.#ahead = this.#held.length;
    return passed;
  }

  /** What was held back and is the beginning of nothing, since no more comes. */
  end(): Buffer {
    const rest = this.#held.subarray(this.#ahead);
    this.#held = Buffer.alloc(0);
    this.#ahead = 0;
    return rest;
  }
}

/** A text that is there as a whole. */
export function concealedText(text: string, texts: readonly Concealed[]): string {
  return replaced(Buffer.from(text, 'latin1'), texts).toString('latin1');
}

function replaced(bytes: Buffer, texts: readonly Concealed[]): Buffer {
  let shown = bytes;
  for (const { from, to } of texts) {
    for (let at = shown.indexOf(from); at >= 0; at = shown.indexOf(from, at + from.length)) {
      if (shown === bytes) shown = Buffer.from(bytes);
      to.copy(shown, at);
    }
  }
  return shown;
}

/** How many of its last bytes are the first of `text`, and not all of it. */
function begunAtEnd(bytes: Buffer, text: Buffer): number {
  const [first] = text;
  if (first === undefined) return 0;
  const start = Math.max(0, bytes.length - text.length + 1);
  for (let at = bytes.indexOf(first, start); at >= 0; at = bytes.indexOf(first, at + 1)) {
    const length = bytes.length - at;
    if (bytes.compare(text, 0, length, at) === 0) return length;
  }
  return 0;
}
