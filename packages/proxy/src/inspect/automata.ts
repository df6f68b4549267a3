import { createHash } from 'node:crypto';
import { Automaton } from '@subluminal/core-types';
import type { Turns } from '@subluminal/gateway';

/** States of all automata that are kept. Each takes 22 bytes; secrets of 32,000 characters take 500,000. */
const MAX_STATES = 2_097_152;

interface Kept {
  readonly made: Promise<Automaton>;
  readonly states: number;
}

/**
 * The automata of the secrets that connections hold. Each is made once for all connections with the same
 * secrets, in turns with the rest of the gateway's work: a large one takes longer than a turn has.
 */
export class Automata {
  readonly #turns: Turns;
  readonly #maxStates: number;
  /** By a hash of their texts, the one that was asked for last at the end. */
  readonly #kept = new Map<string, Kept>();

  constructor(turns: Turns, maxStates = MAX_STATES) {
    this.#turns = turns;
    this.#maxStates = maxStates;
  }

  /** The automaton of these texts. One that cannot be made is made anew for the next who asks. */
  of(texts: readonly Buffer[]): Promise<Automaton> {
    const key = keyOf(texts);
    const entry = this.#kept.get(key) ?? this.#begin(key, texts);
    this.#kept.delete(key);
    this.#kept.set(key, entry);
    this.#forget();
    return entry.made;
  }

  #begin(key: string, texts: readonly Buffer[]): Kept {
    const entry: Kept = { made: this.#make(texts), states: sizeOf(texts) };
    entry.made.catch(() => {
      if (this.#kept.get(key) === entry) this.#kept.delete(key);
    });
    return entry;
  }

  async #make(texts: readonly Buffer[]): Promise<Automaton> {
    let grow = (): boolean => false;
    const automaton = new Automaton(texts, (step) => {
      grow = step;
    });
    await this.#turns.work(() => grow());
    return automaton;
  }

  #forget(): void {
    let states = 0;
    for (const entry of this.#kept.values()) states += entry.states;
    for (const [key, entry] of this.#kept) {
      if (states <= this.#maxStates) return;
      this.#kept.delete(key);
      states -= entry.states;
    }
  }
}

/** How many states it has at most. */
function sizeOf(texts: readonly Buffer[]): number {
  return texts.reduce((sum, { length }) => sum + length, 1);
}

function keyOf(texts: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text.length} `).update(text);
  return hash.digest('base64');
}
