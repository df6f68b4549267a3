import { Automaton } from '@subluminal/core-types';

/** A text that must not pass, and what stands in its place: as many bytes. */
export interface Concealed {
  readonly from: Buffer;
  readonly to: Buffer;
}

/** Texts that are ready to be looked for, all at once. A client can make up some of them. */
export class Sought {
  readonly texts: readonly Concealed[];
  readonly automaton: Automaton;
  /** By byte: 1 where a text begins so. */
  readonly #first = new Uint8Array(256);

  constructor(texts: readonly Concealed[]) {
    this.texts = texts;
    this.automaton = new Automaton(texts.map(({ from }) => from));
    for (const { from } of texts) this.#first[from[0] ?? 0] = 1;
  }

  /**
   * Conceals the texts that end in a part of the bytes, and gives the state behind it. It leaves nothing of
   * texts that overlap.
   */
  conceal(bytes: Buffer, { from, to, state: before }: { from: number; to: number; state: number }): number {
    const { found } = this.automaton;
    let state = before;
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] ?? 0;
      if (state === 0 && this.#first[byte] === 0) continue;
      state = this.automaton.step(state, byte);
      const text = this.texts[found[state] ?? -1];
      if (text !== undefined) text.to.copy(bytes, at + 1 - text.from.length);
    }
    // A whole text waits for nothing.
    return this.automaton.settled(state);
  }
}

/** So many bytes that could be the beginning of a text are given on where nothing more comes for a while. */
const MAX_AHEAD = 4;

/**
 * Takes texts out of bytes that come in pieces, wherever a piece ends. Bytes that could be the beginning of a
 * text wait for the next piece, and no others do. Lengths stay as they are. Each byte is looked at and copied
 * a few times, however small the pieces are.
 */
export class Conceal {
  readonly #texts: () => Sought;
  #sought: Sought;
  #state = 0;
  /** The bytes that could be the beginning of a text, up to `#end`. `#ahead` of them are out already. */
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  #ahead = 0;

  /** `texts`: those of now; more may come. */
  constructor(texts: () => Sought) {
    this.#texts = texts;
    this.#sought = texts();
  }

  /** Whether something waits that `pause` would give. */
  get isWaiting(): boolean {
    return this.#held > this.#ahead && this.#held <= MAX_AHEAD;
  }

  get #held(): number {
    return this.#end - this.#start;
  }

  /** What may pass. */
  push(chunk: Buffer): Buffer {
    this.#look();
    this.#makeRoom(chunk.length);
    const from = this.#end;
    this.#end += chunk.copy(this.#bytes, from);
    this.#state = this.#sought.conceal(this.#bytes, { from, to: this.#end, state: this.#state });
    return this.#pass(this.#sought.automaton.depth[this.#state] ?? 0);
  }

  /**
   * Nothing more comes for a while, and somebody may wait for a last byte that only looks like a beginning: a few are given on. Should it be
   * one after all, what follows is concealed nevertheless.
   */
  pause(): Buffer {
    if (!this.isWaiting) return Buffer.alloc(0);
    const passed = Buffer.from(this.#bytes.subarray(this.#start + this.#ahead, this.#end));
    this.#ahead = this.#held;
    return passed;
  }

  /** What was held back and is the beginning of nothing, since no more comes. */
  end(): Buffer {
    return this.#pass(0);
  }

  /** All but the last `keeps` bytes. */
  #pass(keeps: number): Buffer {
    const until = this.#end - keeps;
    const passed = Buffer.from(this.#bytes.subarray(Math.min(this.#start + this.#ahead, until), until));
    this.#ahead = Math.max(0, this.#ahead - (until - this.#start));
    this.#start = until;
    return passed;
  }

  /** There may be other texts than before. */
  #look(): void {
    const sought = this.#texts();
    if (sought === this.#sought) return;
    this.#sought = sought;
    this.#state = sought.conceal(this.#bytes, { from: this.#start, to: this.#end, state: 0 });
  }

  /** Twice of what is needed, so that many small pieces are moved once. */
  #makeRoom(more: number): void {
    if (this.#end + more <= this.#bytes.length) return;
    const needed = this.#held + more;
    const bytes = needed * 2 <= this.#bytes.length ? this.#bytes : Buffer.alloc(needed * 2);
    this.#end = this.#bytes.copy(bytes, 0, this.#start, this.#end);
    this.#start = 0;
    this.#bytes = bytes;
  }
}

/** A text that is there as a whole. */
export function concealedText(text: string, sought: Sought): string {
  const bytes = Buffer.from(text, 'latin1');
  sought.conceal(bytes, { from: 0, to: bytes.length, state: 0 });
  return bytes.toString('latin1');
}
