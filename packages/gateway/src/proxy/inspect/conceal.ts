/** A text that must not pass, and what stands in its place: as many bytes. */
export interface Concealed {
  readonly from: Buffer;
  readonly to: Buffer;
}

/** One that is ready to be looked for. */
export interface Sought extends Concealed {
  /** Of each beginning of `from`, how many of its last bytes are the first of it. */
  readonly borders: Uint16Array;
}

/** The longest first, so that the longer writing of a value goes before the shorter one in it. */
export function inOrder(concealed: readonly (Concealed | Sought)[]): readonly Sought[] {
  return concealed
    .map((one) => ('borders' in one ? one : { ...one, borders: bordersOf(one.from) }))
    .toSorted((a, b) => b.from.length - a.from.length);
}

/** So many bytes that could be the beginning of a text are given on where nothing more comes for a while. */
const MAX_AHEAD = 4;

/**
 * Takes texts out of what comes in pieces, wherever a piece ends: what could be the beginning of one waits for the next piece, and nothing
 * else does. Lengths stay as they are.
 */
export class Conceal {
  readonly #texts: () => readonly Sought[];
  /** What could be the beginning of a text, and how much of it is out already. */
  #held: Buffer = Buffer.alloc(0);
  #ahead = 0;

  /** `texts`: those of now, `inOrder`; more may come. */
  constructor(texts: () => readonly Sought[]) {
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
    const keeps = all.length - Math.max(0, ...texts.map((text) => begunAtEnd(all, text)));
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

/**
 * How many of its last bytes are the first of a text, and not all of it. Each byte is looked at once (Knuth, Morris and Pratt): a client can
 * have a text looked for that it has made up.
 */
function begunAtEnd(bytes: Buffer, { from, borders }: Sought): number {
  let begun = 0;
  for (let at = Math.max(0, bytes.length - from.length + 1); at < bytes.length; at += 1) {
    while (begun > 0 && bytes[at] !== from[begun]) begun = borders[begun - 1] ?? 0;
    if (bytes[at] === from[begun]) begun += 1;
  }
  return begun;
}

function bordersOf(text: Buffer): Uint16Array {
  const borders = new Uint16Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (length > 0 && text[at] !== text[length]) length = borders[length - 1] ?? 0;
    if (text[at] === text[length]) length += 1;
    borders[at] = length;
  }
  return borders;
}
