import type { Random } from './random.js';

/** A part of the product that takes bytes from somebody else, and what it promises about them. */
export interface Target {
  readonly name: string;
  /** Inputs to begin with: honest ones, and those that broke a promise once. */
  readonly seeds: readonly Buffer[];
  /** Pieces of text that a mutation may put in: what the grammar is made of. */
  readonly words: readonly string[];
  /** Longest input that mutations make. */
  readonly maxBytes: number;
  /**
   * Runs one input and tells whether the product took it. Throws where a promise is broken; any other error
   * of the product is a broken promise as well.
   */
  readonly run: (input: Buffer, random: Random) => boolean | Promise<boolean>;
  /** Releases what the target holds. */
  readonly close?: () => void;
}

/** Throws unless a promise holds; `what` says which. */
export function promise(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`broken promise: ${what}`);
}

/** Cuts an input where the random numbers say, as a socket might. */
export function chunks(input: Buffer, random: Random): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  while (at < input.length) {
    const size = random.once(3) ? 1 + random.below(4) : 1 + random.below(input.length);
    // A copy, as a socket gives it: nobody may rely on bytes that the next read overwrites.
    parts.push(Buffer.from(input.subarray(at, at + size)));
    at += size;
  }
  return parts;
}
