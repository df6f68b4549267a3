/** A text that is looked for, as bytes, and what stands in its place. */
export interface Pattern {
  readonly bytes: Uint8Array;
  readonly mark: Uint8Array;
}

/**
 * The patterns as one automaton (Aho and Corasick, 1975): one step a byte, whatever the text holds. State 0: nothing of a pattern
 * has been seen.
 */
export class ValueTree {
  /** By state: how many bytes of a pattern it stands for. */
  readonly depth: readonly number[];
  /** By state: the longest pattern that ends there, -1 for none. */
  readonly found: readonly number[];
  /** By byte: the state that follows state 0. */
  readonly first = new Int32Array(256);
  /** By the first byte and the second: 1 where a pattern begins so. A pattern has two at least. */
  readonly pairs = new Uint8Array(65_536);
  readonly longest: number;
  readonly #children: readonly Map<number, number>[];
  readonly #fail: readonly number[];

  constructor(patterns: readonly Pattern[]) {
    const children = [new Map<number, number>()];
    const depth = [0];
    const found = [-1];
    for (const [index, { bytes }] of patterns.entries()) {
      let state = 0;
      for (const byte of bytes) {
        let next = children[state]?.get(byte);
        if (next === undefined) {
          next = children.length;
          children.push(new Map());
          depth.push((depth[state] ?? 0) + 1);
          found.push(-1);
          children[state]?.set(byte, next);
        }
        state = next;
      }
      found[state] = index;
    }
    this.longest = Math.max(1, ...patterns.map(({ bytes }) => bytes.length));
    this.depth = depth;
    this.#children = children;
    for (const [byte, state] of children[0] ?? []) {
      this.first[byte] = state;
      for (const next of children[state]?.keys() ?? []) this.pairs[(byte << 8) | next] = 1;
    }
    this.#fail = this.#link(found);
    this.found = found;
  }

  /** Breadth first: where the longest end of what was seen goes on that begins a pattern. */
  #link(found: number[]): readonly number[] {
    const fail = this.#children.map(() => 0);
    const queue = [...(this.#children[0]?.values() ?? [])];
    for (let at = 0; at < queue.length; at += 1) {
      const state = queue[at] ?? 0;
      for (const [byte, next] of this.#children[state] ?? []) {
        let other = fail[state] ?? 0;
        while (other !== 0 && this.#children[other]?.has(byte) !== true) other = fail[other] ?? 0;
        const target = this.#children[other]?.get(byte) ?? 0;
        fail[next] = target;
        if (found[next] === -1) found[next] = found[target] ?? -1;
        queue.push(next);
      }
    }
    return fail;
  }

  /** The state after one more byte. */
  step(state: number, byte: number): number {
    let at = state;
    while (at !== 0) {
      const next = this.#children[at]?.get(byte);
      if (next !== undefined) return next;
      at = this.#fail[at] ?? 0;
    }
    return this.first[byte] ?? 0;
  }

  /** The state from which nothing can go on is the one that its longest end leads to. */
  settled(state: number): number {
    let at = state;
    while (at !== 0 && this.#children[at]?.size === 0) at = this.#fail[at] ?? 0;
    return at;
  }
}
