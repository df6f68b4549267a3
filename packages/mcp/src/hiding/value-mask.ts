import { JsonUnits, SHORT_ESCAPES } from './units.js';
import { type Pattern, ValueTree } from './value-tree.js';

const BACKSLASH = 0x5c;
/** By the letter of an escape, the byte that it means; 0 for none. */
const MEANT = Uint8Array.from({ length: 256 }, (_, letter) => SHORT_ESCAPES.get(letter) ?? 0);

interface Span {
  readonly start: number;
  readonly end: number;
  readonly pattern: number;
  /** Its mark has left already, and what belongs to it leaves no more. */
  readonly isMarked: boolean;
}

/**
 * Replaces patterns in a stream of bytes, wherever its pieces are cut, and passes every other byte as it is.
 * It holds back only what may become one: less than the longest pattern takes. `json`: a pattern is also
 * found where its characters are written as JSON escapes; a line feed then ends all.
 */
export class ValueMask {
  readonly #patterns: readonly Pattern[];
  readonly #tree: ValueTree;
  readonly #units: JsonUnits | undefined;
  /** Reads what those mean once more. */
  readonly #inner: JsonUnits | undefined;
  /** Where the last units that were taken began, by their count; `#ring.length` is a power of two. */
  readonly #ring: Float64Array;
  #count = 0;
  #state = 0;
  /** Bytes that came before, in all. */
  #at = 0;
  #held: Buffer = Buffer.alloc(0);
  #spans: Span[] = [];

  constructor(patterns: readonly Pattern[], how: { readonly json: boolean; readonly nested?: boolean }) {
    this.#patterns = patterns;
    this.#tree = new ValueTree(patterns);
    this.#ring = new Float64Array(2 ** Math.ceil(Math.log2(this.#tree.longest + 1)));
    const take = (byte: number, start: number): void => this.#take(byte, start);
    const reset = (): void => {
      this.#state = 0;
    };
    const inner = how.nested === true ? new JsonUnits(take, reset, false) : undefined;
    this.#inner = inner;
    if (inner !== undefined)
      this.#units = new JsonUnits(
        (byte, start) => inner.push(byte, start),
        () => {
          inner.clear();
          reset();
        },
      );
    else if (how.json) this.#units = new JsonUnits(take, reset);
  }

  /** Gives the bytes of everything so far that may leave. */
  push(chunk: Buffer): Buffer {
    const base = this.#at - this.#held.length;
    const data = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const units = this.#units;
    for (let index = this.#held.length; index < data.length; index += 1) {
      if (this.#state === 0 && this.#open === undefined) {
        index = this.#skip(data, index);
        if (index >= data.length) break;
      }
      this.#at = base + index + 1;
      if (units === undefined) this.#take(data[index] ?? 0, base + index);
      else units.push(data[index] ?? 0, base + index);
    }
    this.#at = base + data.length;
    return this.#leave(data, base, this.#safe());
  }

  /** Nothing has begun: passes over bytes with which, and with the next one, nothing begins either. */
  #skip(data: Buffer, from: number): number {
    const { first, pairs } = this.#tree;
    const json = this.#units !== undefined;
    const last = data.length - 1;
    let at = from;
    while (at < last) {
      const byte = data[at] ?? 0;
      const next = data[at + 1] ?? 0;
      if (json && byte === BACKSLASH) {
        const meant = MEANT[next] ?? 0;
        if (meant === 0 || first[meant] !== 0) return at;
        if (meant === BACKSLASH && this.#inner !== undefined) return at;
        at += 2;
      } else if (first[byte] === 0) at += 1;
      else if ((json && next === BACKSLASH) || pairs[(byte << 8) | next] === 1) return at;
      else at += 1;
    }
    return at;
  }

  /** Gives the bytes that were held back: nothing follows. */
  end(): Buffer {
    const base = this.#at - this.#held.length;
    return this.#leave(this.#held, base, this.#at);
  }

  #take(byte: number, start: number): void {
    const state = this.#tree.step(this.#state, byte);
    this.#ring[this.#count & (this.#ring.length - 1)] = start;
    this.#count += 1;
    const pattern = this.#tree.found[state] ?? -1;
    if (pattern >= 0) this.#match(pattern);
    this.#state = this.#tree.settled(state);
  }

  #match(pattern: number): void {
    const length = this.#patterns[pattern]?.bytes.length ?? 0;
    const start = this.#startOf(length);
    const last = this.#spans.at(-1);
    if (last !== undefined && start < last.end) {
      this.#spans.pop();
      this.#spans.push({ ...last, start: Math.min(start, last.start), end: this.#at });
    } else this.#spans.push({ start, end: this.#at, pattern, isMarked: false });
  }

  /** Where the last `units` units began. */
  #startOf(units: number): number {
    return this.#ring[(this.#count - units) & (this.#ring.length - 1)] ?? 0;
  }

  /** Where an escape begins that is not whole yet. */
  get #open(): number | undefined {
    // The value that is open within began before the one around it.
    return this.#inner?.open ?? this.#units?.open;
  }

  /** Nothing before this place can be part of what is still to come. */
  #safe(): number {
    const depth = this.#tree.depth[this.#state] ?? 0;
    const begun = depth === 0 ? this.#at : this.#startOf(depth);
    return Math.min(begun, this.#open ?? this.#at);
  }

  #markOf({ pattern, isMarked }: Span): Buffer {
    return isMarked ? EMPTY : Buffer.from(this.#patterns[pattern]?.mark ?? []);
  }

  #leave(data: Buffer, base: number, safe: number): Buffer {
    const pieces: Buffer[] = [];
    let from = base;
    let to = safe;
    while (this.#spans.length > 0) {
      const [span] = this.#spans;
      if (span === undefined) break;
      if (span.end > safe) {
        // A match that follows may go on from within it: its mark leaves now, and its bytes are held no
        // longer.
        to = Math.min(safe, span.start);
        if (to < safe) {
          pieces.push(data.subarray(from - base, span.start - base), this.#markOf(span));
          this.#spans[0] = { ...span, start: safe, isMarked: true };
          from = safe;
        }
        break;
      }
      this.#spans.shift();
      pieces.push(data.subarray(from - base, span.start - base), this.#markOf(span));
      from = span.end;
    }
    if (to > from) pieces.push(data.subarray(from - base, to - base));
    const kept = Math.max(from, to);
    this.#held = kept - base === data.length ? EMPTY : Buffer.from(data.subarray(kept - base));
    return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
  }
}

const EMPTY = Buffer.alloc(0);
