import { Automaton } from '@subluminal/core-types';

/** A text that is looked for, as bytes, and what stands in its place. */
export interface Pattern {
  readonly bytes: Uint8Array;
  readonly mark: Uint8Array;
}

/** The patterns as one automaton, and what tells at a glance that none of them begins. */
export class ValueTree extends Automaton {
  /** By byte: the state that follows state 0. */
  readonly first = new Int32Array(256);
  /** By the first byte and the second: 1 where a pattern begins so. A pattern has two at least. */
  readonly pairs = new Uint8Array(65_536);

  constructor(patterns: readonly Pattern[]) {
    super(patterns.map(({ bytes }) => bytes));
    for (const { bytes } of patterns) {
      const [byte = 0, next = 0] = bytes;
      this.first[byte] = this.step(0, byte);
      this.pairs[(byte << 8) | next] = 1;
    }
  }
}
