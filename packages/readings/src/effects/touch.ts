import { endsInTaker } from '../shell/operands/options.js';

/** Done to a file. `look`: its name, its size or whether it is there. `change`: its mode or its owner. */
export type Access = 'read' | 'write' | 'delete' | 'look' | 'change';

/** A file that a command names, as its words have it. */
export interface Touch {
  readonly name: string;
  readonly access: Access;
  /** It goes with all that is in it. */
  readonly isRecursive: boolean;
}

/** The operands and options of a command line, for the tables of programs. */
export class Operands {
  readonly words: readonly string[];

  constructor(words: readonly string[]) {
    this.words = words;
  }

  has(...options: readonly string[]): boolean {
    return options.some((option) => this.words.includes(option));
  }

  /** Whether one of the short options is there, also among others (`-rf`). */
  hasShort(letters: string): boolean {
    return this.words.some(
      (word) => /^-[a-zA-Z]+$/.test(word) && letters.split('').some((one) => word.includes(one)),
    );
  }

  /**
   * The values of an option, of which some programs take the first and others the last: behind it, behind
   * its `=`, or, of a short one, right behind its letter or behind a bundle that ends with it (`-so NAME`).
   */
  values(...options: readonly string[]): readonly string[] {
    const short = shortOf(options);
    return this.words.flatMap((_, at) => this.valueAt(at, options, short) ?? []);
  }

  /** The value of one of some options, where the word at that place is one. */
  valueAt(at: number, options: readonly string[], short = shortOf(options)): string | undefined {
    const word = this.words[at] ?? '';
    if (!word.startsWith('-')) return undefined;
    const end = word.indexOf('=');
    const name = end > 0 ? word.slice(0, end) : word;
    if (options.some((option) => isShortFor(name, option)))
      return end > 0 ? word.slice(end + 1) : this.words[at + 1];
    if (endsInTaker(word, short)) return this.words[at + 1];
    return word.length > 2 && short.has(word.slice(0, 2)) ? word.slice(2) : undefined;
  }

  /** The operands: without options, and without the values of those that `takes` names. */
  plain(takes: ReadonlySet<string> = NONE): readonly string[] {
    const found: string[] = [];
    let isBehind = false;
    for (let at = 0; at < this.words.length; at += 1) {
      const word = this.words[at] ?? '';
      if (!isBehind && word === '--') isBehind = true;
      else if (!isBehind && word.startsWith('-') && word !== '-')
        at += takes.has(word) || endsInTaker(word, takes) ? 1 : 0;
      else found.push(word);
    }
    return found;
  }
}

const NONE: ReadonlySet<string> = new Set();

/** A shorter word may be the beginning of many options. */
const MIN_LONG = 5;

/** Whether a word is an option, or the beginning of a long one, which most programs take for it. */
export function isShortFor(word: string, option: string): boolean {
  return word === option || (word.length >= MIN_LONG && word.startsWith('--') && option.startsWith(word));
}

function shortOf(options: readonly string[]): ReadonlySet<string> {
  return new Set(options.filter((option) => option.length === 2));
}
