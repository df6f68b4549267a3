import { SublError } from '@subluminal/core-types';
import type { PlainNames } from '../snapshot/plain.js';
import { compileGlob } from './glob.js';
import type { Literals } from './literals.js';
import { compileRegex, type NameTest, type PatternResult } from './regex.js';

/** One glob or regex of a policy, however many rules use it. */
export interface Pattern {
  readonly test: NameTest;
  readonly literals: Literals;
}

/** The patterns of a rule for a name: any of its patterns has to match. */
export interface Names {
  readonly patterns: readonly Pattern[];
  readonly test: NameTest;
}

/** Compiles each pattern of a policy once. */
export class PatternPool {
  readonly #patterns = new Map<string, Pattern>();

  /** @throws SublError `policy_invalid` on a bad pattern. */
  names({ glob = [], regex = [] }: PlainNames): Names {
    const patterns = [
      ...glob.map((source) => this.#pattern(`glob ${source}`, source, compileGlob)),
      ...regex.map((source) => this.#pattern(`regex ${source}`, source, compileRegex)),
    ];
    return { patterns, test: anyOf(patterns) };
  }

  #pattern(key: string, source: string, compile: (source: string) => PatternResult): Pattern {
    const known = this.#patterns.get(key);
    if (known !== undefined) return known;
    const compiled = compile(source);
    if (!compiled.ok) throw new SublError('policy_invalid', compiled.why);
    const pattern: Pattern = { test: compiled.test, literals: compiled.literals };
    this.#patterns.set(key, pattern);
    return pattern;
  }
}

function anyOf(patterns: readonly Pattern[]): NameTest {
  const [only] = patterns;
  if (patterns.length === 1 && only !== undefined) return only.test;
  return (name) => patterns.some(({ test }) => test(name));
}
