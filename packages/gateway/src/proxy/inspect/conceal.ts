/** A text that must not pass, and what stands in its place: as many bytes. */
export interface Concealed {
  readonly from: Buffer;
  readonly to: Buffer;
}

/** The longest first, so that the longer writing of a value goes before the shorter one in it. */
export function inOrder(concealed: readonly Concealed[]): readonly Concealed[] {
  return concealed.toSorted((a, b) => b.from.length - a.from.length);
}

/**
 * Takes texts out of what comes in pieces, wherever a piece ends: what could be the beginning of one waits for the next piece, and nothing
 * else does. Lengths stay as they are.
 */
export class Conceal {
  readonly #texts: () => readonly Concealed[];
  #held: Buffer = Buffer.alloc(0);

  /** `texts`: those of now, `inOrder`; more may come. */
  constructor(texts: () => readonly Concealed[]) {
    this.#texts = texts;
  }

  /** What may pass. */
  push(chunk: Buffer): Buffer {
    const texts = this.#texts();
    const all = replaced(this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]), texts);
    const begun = Math.max(0, ...texts.map(({ from }) => begunAtEnd(all, from)));
    this.#held = all.subarray(all.length - begun);
    return all.subarray(0, all.length - begun);
  }

  /** What was held back and is the beginning of nothing, since no more comes. */
  end(): Buffer {
    const rest = this.#held;
    this.#held = Buffer.alloc(0);
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
