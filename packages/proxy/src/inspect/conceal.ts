import { Automaton } from '@subluminal/core-types';

/** A text that must not pass, and what stands in its place: as many bytes. */
export interface Concealed {
  readonly from: Buffer;
  readonly to: Buffer;
}

/** Texts that one automaton looks for. */
interface Part {
  readonly texts: readonly Concealed[];
  readonly automaton: Automaton;
  /** By byte: 1 where a text begins so. */
  readonly first: Uint8Array;
}

/** Texts that are ready to be looked for, all at once. A client can make up some of them. */
export class Sought {
  readonly #parts: readonly Part[];

  /** `others` are looked for as well. */
  constructor(
    texts: readonly Concealed[],
    automaton = new Automaton(texts.map(({ from }) => from)),
    others?: Sought,
  ) {
    const first = new Uint8Array(256);
    for (const { from } of texts) first[from[0] ?? 0] = 1;
    this.#parts = [...(others === undefined ? [] : others.#parts), { texts, automaton, first }];
  }

  /** The states before the first byte, one of each automaton. */
  start(): Int32Array {
    return new Int32Array(this.#parts.length);
  }

  /** How many of the last bytes could be the beginning of a text. */
  begun(states: Int32Array): number {
    return this.#parts.reduce(
      (most, { automaton }, at) => Math.max(most, automaton.depth[states[at] ?? 0] ?? 0),
      0,
    );
  }

  /**
   * Conceals the texts that end in a part of the bytes, and takes the states behind it. It leaves nothing of
   * texts that overlap.
   */
  conceal(bytes: Buffer, { from, to }: { from: number; to: number }, states: Int32Array): void {
    // Each automaton sees the bytes as they came, whatever another one conceals.
    const came = this.#parts.length === 1 ? bytes.subarray(from, to) : Buffer.from(bytes.subarray(from, to));
    // A whole text waits for nothing.
    for (const [of, part] of this.#parts.entries())
      states[of] = part.automaton.settled(walk(part, { came, bytes, from }, states[of] ?? 0));
  }
}

/**
 * Conceals the texts that end in bytes that came, which stand in others from `from` on; the state behind
 * them.
 */
function walk(
  { texts, automaton, first }: Part,
  { came, bytes, from }: { readonly came: Buffer; readonly bytes: Buffer; readonly from: number },
  before: number,
): number {
  const { found } = automaton;
  let state = before;
  for (let at = 0; at < came.length; at += 1) {
    const byte = came[at] ?? 0;
    if (state === 0 && first[byte] === 0) continue;
    state = automaton.step(state, byte);
    const text = texts[found[state] ?? -1];
    if (text !== undefined) text.to.copy(bytes, from + at + 1 - text.from.length);
  }
  return state;
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
  #states: Int32Array;
  /** The bytes that could be the beginning of a text, up to `#end`. `#ahead` of them are out already. */
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  #ahead = 0;

  /** `texts`: those of now; more may come. */
  constructor(texts: () => Sought) {
    this.#texts = texts;
    this.#sought = texts();
    this.#states = this.#sought.start();
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
    this.#sought.conceal(this.#bytes, { from, to: this.#end }, this.#states);
    return this.#pass(this.#sought.begun(this.#states));
  }

  /**
   * Nothing more comes for a while, and somebody may wait for a last byte that only looks like a beginning: a
   * few are given on. Should it be one after all, what follows is concealed nevertheless.
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
    this.#states = sought.start();
    sought.conceal(this.#bytes, { from: this.#start, to: this.#end }, this.#states);
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
  sought.conceal(bytes, { from: 0, to: bytes.length }, sought.start());
  return bytes.toString('latin1');
}
