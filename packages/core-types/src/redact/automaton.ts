/** A text that is looked for, as numbers below 65,536: bytes, or units of UTF-16. */
export type Units = ArrayLike<number>;

/** States that one step of growing makes. */
const STEP_STATES = 4096;

/**
 * Texts as one automaton (Aho and Corasick, 1975). It takes one step a unit in the mean, whatever stands in
 * the texts and in the searched text. It has no hash and no backtracking that somebody who chooses both could
 * make slow. State 0 means that nothing of a text has been seen. States are numbered by depth, so the ways on
 * from one stand side by side, in the order of their units.
 */
export class Automaton {
  /** By state: how many units of a text it stands for. */
  readonly depth: Int32Array;
  /** By state: the longest text that ends there, -1 for none; of equal ones the first. */
  readonly found: Int32Array;
  /** By state: the shortest text that begins so, -1 where there are no texts. */
  readonly begins: Int32Array;
  /** By state: the longest end of what was seen that begins a text as well. */
  readonly fail: Int32Array;
  readonly longest: number;
  /** By state: the unit that leads to it. */
  readonly #units: Uint16Array;
  /** By state: the first of the states behind it; those of the next state begin where its own end. */
  readonly #next: Int32Array;

  /** `grow` calls its step until that says that nothing is left. The automaton is of no use before. */
  constructor(texts: readonly Units[], grow: (step: () => boolean) => void = atOnce) {
    const most = texts.reduce((sum, { length }) => sum + length, 1);
    this.depth = new Int32Array(most);
    this.found = new Int32Array(most).fill(-1);
    this.begins = new Int32Array(most).fill(-1);
    this.fail = new Int32Array(most);
    this.#units = new Uint16Array(most);
    this.#next = new Int32Array(most + 1);
    this.longest = texts.reduce((long, { length }) => Math.max(long, length), 1);
    grow(this.#growth(texts));
  }

  /** The state after one more unit. */
  step(state: number, unit: number): number {
    for (let at = state; ; at = this.fail[at] ?? 0) {
      const next = this.#child(at, unit);
      if (next !== 0 || at === 0) return next;
    }
  }

  /** The state from which nothing can go on is the one that its longest end leads to. */
  settled(state: number): number {
    let at = state;
    while (at !== 0 && this.#next[at] === this.#next[at + 1]) at = this.fail[at] ?? 0;
    return at;
  }

  /** Breadth first: each state stands for a range of the sorted texts, those that begin as it does. */
  #growth(texts: readonly Units[]): () => boolean {
    const order = texts
      .map((_, index) => index)
      .toSorted((a, b) => compared(texts[a] ?? [], texts[b] ?? []) || a - b);
    const from = new Int32Array(this.depth.length);
    const to = new Int32Array(this.depth.length);
    to[0] = order.length;
    let count = 1;
    let state = 0;
    const grow = (): boolean => {
      if (state === count) return false;
      const depth = this.depth[state] ?? 0;
      const first = count;
      this.#next[state] = first;
      // The state of the fallback is less deep, and finished.
      this.found[state] = this.found[this.fail[state] ?? 0] ?? -1;
      for (let at = from[state] ?? 0; at < (to[state] ?? 0); at += 1) {
        const index = order[at] ?? 0;
        const text = texts[index] ?? [];
        const shortest = texts[this.begins[state] ?? -1];
        if (shortest === undefined || text.length < shortest.length) this.begins[state] = index;
        if (text.length === depth) {
          if (depth > 0 && texts[this.found[state] ?? -1]?.length !== depth) this.found[state] = index;
          continue;
        }
        const unit = text[depth] ?? 0;
        if (count === first || this.#units[count - 1] !== unit) {
          this.depth[count] = depth + 1;
          this.#units[count] = unit;
          this.fail[count] = state === 0 ? 0 : this.step(this.fail[state] ?? 0, unit);
          from[count] = at;
          count += 1;
        }
        to[count - 1] = at + 1;
      }
      this.#next[state + 1] = count;
      state += 1;
      return true;
    };
    return () => {
      let made = 0;
      while (made < STEP_STATES && grow()) made += 1;
      return made === STEP_STATES;
    };
  }

  #child(state: number, unit: number): number {
    let low = this.#next[state] ?? 0;
    let high = (this.#next[state + 1] ?? 0) - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const here = this.#units[middle] ?? 0;
      if (here === unit) return middle;
      if (here < unit) low = middle + 1;
      else high = middle - 1;
    }
    return 0;
  }
}

function atOnce(step: () => boolean): void {
  while (step());
}

function compared(one: Units, other: Units): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}
