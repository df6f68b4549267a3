import { suffixOf } from './name-suffix.js';
import type { Finding } from './flag.js';
import { randomLetters } from './random-letters.js';

/**
 * A single name carries data from so many letters on that look drawn at random. Well-known services stay
 * below 33.
 */
export const NAME_LETTERS = 38;
/** All names together under one suffix, within `NAMES_WINDOW_MS`. */
export const SUFFIX_LETTERS = 320;
/** So many names under one suffix are unusual whatever they look like. */
export const SUFFIX_NAMES = 200;
/** All names of a run together, whatever their suffixes. */
export const RUN_LETTERS = 2000;
/** So many different names of a run, whatever they look like. Those that were forgotten count again. */
export const RUN_NAMES = 2000;
export const NAMES_WINDOW_MS = 3_600_000;

/** What is remembered of one run. */
const MAX_SUFFIXES = 128;
const MAX_NAMES = 1024;

interface Suffix {
  /** Hashes of the names: telling two apart wrongly costs one name of many. */
  readonly names: Set<number>;
  letters: number;
  isFlagged: boolean;
}

/** A run's names as they are kept. */
export interface KeptNames {
  readonly seed: number;
  readonly since: number;
  readonly letters: number;
  readonly asked: number;
  readonly flagged: boolean;
  readonly suffixes: readonly (readonly [string, number, boolean, readonly number[]])[];
}

/**
 * The names that one run asks for, as far as they could carry data out: in the letters of one, or in many
 * under one suffix. Counted within an hour. Memory is bounded: what was asked for longest ago is forgotten
 * first, but for the letters and the number of the names of the run in all.
 */
export class RunNames {
  readonly #suffixes = new Map<string, Suffix>();
  #names = 0;
  #letters = 0;
  /** Names in all, those that are forgotten included. */
  #asked = 0;
  #isRunFlagged = false;
  #sinceMs = -NAMES_WINDOW_MS;
  #seed: number;

  /** `seed`: 32 random bits, so that nobody can find names that are taken for one another. */
  constructor(seed: number) {
    this.#seed = seed;
  }

  /**
   * Counts a name, in its canonical form, and tells what is unusual about it: once a suffix and hour. `now`
   * is epoch ms and never goes back.
   */
  ask(host: string, now: number): Finding | undefined {
    if (now - this.#sinceMs >= NAMES_WINDOW_MS) this.#begin(now);
    const { suffix, labels } = suffixOf(host);
    if (labels.length === 0) return undefined;
    const letters = labels.reduce((sum, label) => sum + randomLetters(label), 0);
    const known = this.#suffix(suffix);
    const hash = hashOf(host, this.#seed);
    if (known.names.has(hash) || known.isFlagged) return undefined;
    if (known.names.size < SUFFIX_NAMES) {
      known.names.add(hash);
      this.#names += 1;
    }
    known.letters += letters;
    this.#asked += 1;
    this.#letters += letters;
    const found = this.#judge(host, suffix, known, letters);
    if (found !== undefined && found.facts['scope'] !== 'run') known.isFlagged = true;
    this.#forget();
    return found;
  }

  /** What a later process goes on with. */
  kept(): KeptNames {
    return {
      seed: this.#seed,
      since: this.#sinceMs,
      letters: this.#letters,
      asked: this.#asked,
      flagged: this.#isRunFlagged,
      suffixes: [...this.#suffixes].map(([suffix, { names, letters, isFlagged }]) => [
        suffix,
        letters,
        isFlagged,
        [...names],
      ]),
    };
  }

  /** Goes on with it. */
  restore({ seed, since, letters, asked, flagged, suffixes }: KeptNames): void {
    this.#seed = seed;
    this.#sinceMs = since;
    this.#letters = letters;
    this.#asked = asked;
    this.#isRunFlagged = flagged;
    for (const [suffix, own, isFlagged, names] of suffixes) {
      this.#suffixes.set(suffix, { names: new Set(names), letters: own, isFlagged });
      this.#names += names.length;
    }
  }

  #judge(host: string, suffix: string, known: Suffix, letters: number): Finding | undefined {
    const names = known.names.size;
    const facts = { suffix, names, letters: known.letters };
    if (letters >= NAME_LETTERS)
      return finding(`\`${shown(host)}\` has ${letters} letters that look drawn at random`, {
        ...facts,
        scope: 'name',
        name: shown(host),
      });
    if (known.letters >= SUFFIX_LETTERS)
      return finding(
        `${names} names under \`${suffix}\` within an hour have ${known.letters} letters that look drawn at random`,
        { ...facts, scope: 'suffix' },
      );
    if (names >= SUFFIX_NAMES)
      return finding(`${names} different names under \`${suffix}\` within an hour`, {
        ...facts,
        scope: 'suffix',
      });
    const hasLetters = this.#letters >= RUN_LETTERS;
    if (this.#isRunFlagged || (!hasLetters && this.#asked < RUN_NAMES)) return undefined;
    this.#isRunFlagged = true;
    if (!hasLetters)
      return finding(`${this.#asked} different names in this run within an hour`, {
        names: this.#asked,
        scope: 'run',
      });
    return finding(
      `the names that this run asked for within an hour have ${this.#letters} letters that look drawn at random`,
      { letters: this.#letters, scope: 'run' },
    );
  }

  #suffix(suffix: string): Suffix {
    const known = this.#suffixes.get(suffix) ?? { names: new Set<number>(), letters: 0, isFlagged: false };
    // Deleted first, so that the map stays in the order of the last use.
    this.#suffixes.delete(suffix);
    this.#suffixes.set(suffix, known);
    return known;
  }

  #forget(): void {
    for (const [suffix, { names }] of this.#suffixes) {
      if (this.#suffixes.size <= MAX_SUFFIXES && this.#names <= MAX_NAMES) return;
      this.#suffixes.delete(suffix);
      this.#names -= names.size;
    }
  }

  #begin(now: number): void {
    this.#suffixes.clear();
    this.#names = 0;
    this.#letters = 0;
    this.#asked = 0;
    this.#isRunFlagged = false;
    this.#sinceMs = now;
  }
}

/** FNV-1a, 32 bits. */
function hashOf(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function shown(host: string): string {
  return host.length <= 100 ? host : `${host.slice(0, 100)}…`;
}

function finding(summary: string, facts: Finding['facts']): Finding {
  return { kind: 'tunnelled_name', summary, facts };
}
