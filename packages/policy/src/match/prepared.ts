import type { CommandReading, PathReading, Readings } from '@subluminal/readings/facts';
import { firstWord } from '../pattern/pool.js';
import { splitPaths, splitRoots, type SplitPath, type SplitRoots } from '../pattern/path-glob.js';

const BUNDLE = /(?<= )-[A-Za-z]{2,6}(?= |$)/g;
/** Most paths are the same composed and in lower case. */
const PLAIN = /^[\0-@[-\x7f]*$/;
const NONE: readonly CommandReading[] = [];

/** The readings of one form of a file; none for one that is wholly unknown. */
export interface PreparedForm {
  readonly exact: readonly SplitPath[];
  /** Composed, and in lower case: some machines tell such names apart, and a deny holds for all. */
  readonly loose: readonly SplitPath[];
}

/** A file of a call, ready for the patterns of all rules. */
export interface PreparedPath extends Pick<PathReading, 'access' | 'is_recursive'> {
  readonly forms: readonly PreparedForm[];
}

/** The objects of the call that is decided, prepared once for all rules of a policy. */
export class Prepared {
  #readings: Readings | undefined;
  #roots: SplitRoots | undefined;
  #paths: readonly PreparedPath[] | undefined;
  #byWord: Map<string, CommandReading[]> | undefined;
  readonly #forms = new Map<string, PreparedForm>();
  readonly #apart = new Map<string, string>();

  /** The same for all rules of a call: its readings are one object. */
  of(readings: Readings): this {
    if (readings === this.#readings) return this;
    this.#readings = readings;
    this.#roots = undefined;
    this.#paths = undefined;
    this.#byWord = undefined;
    this.#forms.clear();
    this.#apart.clear();
    return this;
  }

  roots({ place }: Readings): SplitRoots {
    this.#roots ??= splitRoots(place);
    return this.#roots;
  }

  paths({ paths }: Readings): readonly PreparedPath[] {
    this.#paths ??= paths.map(({ access, is_recursive, forms }) => ({
      access,
      is_recursive,
      forms: forms.map((form) => this.form(form)),
    }));
    return this.#paths;
  }

  form(text: string): PreparedForm {
    const known = this.#forms.get(text);
    if (known !== undefined) return known;
    const exact = splitPaths(text);
    const made = { exact, loose: PLAIN.test(text) ? exact : loosely(text) };
    this.#forms.set(text, made);
    return made;
  }

  /** The commands whose text begins with one of these words. */
  beginning(words: readonly string[], { commands }: Readings): readonly CommandReading[] {
    this.#byWord ??= grouped(commands);
    const byWord = this.#byWord;
    let found: readonly CommandReading[] = NONE;
    for (const word of words) {
      const some = byWord.get(word);
      if (some !== undefined) found = found.length === 0 ? some : [...found, ...some];
    }
    return found;
  }

  /** `-qf` is `-q -f` as well, for a deny. */
  apart(argv: string): string {
    const known = this.#apart.get(argv);
    if (known !== undefined) return known;
    const made = argv.replace(BUNDLE, (bundle) => `-${bundle.slice(1).split('').join(' -')}`);
    this.#apart.set(argv, made);
    return made;
  }
}

function loosely(text: string): readonly SplitPath[] {
  const composed = text.normalize('NFC');
  return [...new Set([composed, composed.toLowerCase()])].flatMap(splitPaths);
}

function grouped(commands: readonly CommandReading[]): Map<string, CommandReading[]> {
  const groups = new Map<string, CommandReading[]>();
  for (const command of commands) {
    const word = firstWord(command.argv);
    const known = groups.get(word);
    if (known === undefined) groups.set(word, [command]);
    else known.push(command);
  }
  return groups;
}
