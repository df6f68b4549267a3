import { SublError } from '@subluminal/core-types';
import type { PlainNames } from '../snapshot/plain.js';
import { compileGlob } from './glob.js';
import type { Literals } from './literals.js';
import { anyTest, compileRegex, type NameTest, type PatternResult } from './regex.js';

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

/** Globs by the first words of the texts that they fit. */
export interface NamesByWord {
  /** All those words; undefined where a glob leaves it open. */
  readonly words: readonly string[] | undefined;
  readonly test: NameTest;
}

/** Asks only the globs that may fit a text by its first word. */
export function byFirstWord({ patterns }: Names): NamesByWord {
  const filed = new Map<string, Pattern[]>();
  const open: Pattern[] = [];
  for (const pattern of patterns) {
    const words = wordsOf(pattern);
    if (words === undefined) open.push(pattern);
    else for (const word of words) filed.set(word, [...(filed.get(word) ?? []), pattern]);
  }
  const tests = new Map([...filed].map(([word, some]) => [word, anyOf(some)]));
  const others = anyOf(open);
  return {
    words: open.length === 0 ? [...filed.keys()] : undefined,
    test: (text) => tests.get(firstWord(text))?.(text) === true || others(text),
  };
}

function wordsOf({ literals }: Pattern): ReadonlySet<string> | undefined {
  const words = new Set<string>();
  for (const [start, ...rest] of literals) {
    if (start === undefined || (rest.length > 0 && !start.includes(' '))) return undefined;
    words.add(firstWord(start));
  }
  return words;
}

/** A text up to its first space. */
export function firstWord(text: string): string {
  const end = text.indexOf(' ');
  return end === -1 ? text : text.slice(0, end);
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
  return anyTest(patterns.map(({ test }) => test));
}
