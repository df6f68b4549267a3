import { SublError } from '@subluminal/core-types';
import { Option, type Command } from 'commander';
import { parseMoment, type Edge } from './moment.js';
import { nearest } from './nearest.js';

/** A flag as a verb declares it. Its name is the key that it stands under: `failOn` is `--fail-on`. */
export interface Flag<T> {
  /** The value in the help, as `<file>`. Without it the flag takes none. */
  readonly value?: string;
  readonly description: string;
  /** One letter that means the same. */
  readonly short?: string;
  readonly isRequired?: boolean;
  readonly isRepeated?: boolean;
  /** The words that it takes, for completion. */
  readonly words?: readonly string[];
  /** The description of `--no-NAME`. */
  readonly off?: string;
  /** Makes the value out of commander's. `name` is the flag as people write it. Throws `usage`. */
  readonly read: (given: unknown, name: string, now: number) => T;
}

export type Flags = Readonly<Record<string, Flag<unknown>>>;

/** The values of the flags of a verb, each of the type that it was declared with. */
export type Values<F extends Flags> = { readonly [K in keyof F]: ReturnType<F[K]['read']> };

/** A flag without a value. */
export function flag(description: string): Flag<boolean> {
  return { description, read: (given) => given === true };
}

/**
 * A flag that is on unless `--no-NAME` is given. `on` describes the flag itself, where it can be given too.
 */
export function unless(off: string, on?: Pick<Flag<boolean>, 'description' | 'short'>): Flag<boolean> {
  return { description: '', ...on, off, read: (given) => given !== false };
}

/** A text, undefined when it was not given. */
export function string(value: string, description: string): Flag<string | undefined> {
  return { value, description, read: textOf };
}

/** A flag that may have a text; undefined when it was not given, empty when it was given alone. */
export function maybe(value: string, description: string): Flag<string | undefined> {
  return { value, description, read: (given) => (given === true ? '' : textOf(given)) };
}

/** A text that must be given. */
export function required(value: string, description: string): Flag<string> {
  return { value, description, isRequired: true, read: (given) => textOf(given) ?? '' };
}

/** The texts of a flag that may be repeated. */
export function strings(value: string, description: string): Flag<readonly string[]> {
  return { value, description, isRepeated: true, read: textsOf };
}

/** As `strings`, of which one must be given. */
export function requiredStrings(value: string, description: string): Flag<readonly string[]> {
  return { ...strings(value, description), isRequired: true };
}

/** A whole number from `min` to `max`, undefined when it was not given. */
export function whole(
  value: string,
  description: string,
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
): Flag<number | undefined> {
  return {
    value,
    description,
    read(given, name) {
      const written = textOf(given);
      if (written === undefined) return undefined;
      const number = /^[0-9]{1,15}$/.test(written) ? Number(written) : Number.NaN;
      if (number >= min && number <= max) return number;
      throw new SublError('usage', `\`${written}\` is not a whole number from ${min} to ${max}`, {
        help: `it was given for \`${name}\``,
      });
    },
  };
}

/** One of a few words, undefined when it was not given. */
export function choice<const T extends string>(
  value: string,
  description: string,
  choices: readonly T[],
): Flag<T | undefined> {
  return oneOf(value, description, choices, (written) => choices.find((one) => one === written));
}

/** The meaning of one word of a closed set, undefined when it was not given. */
export function oneOf<T>(
  value: string,
  description: string,
  words: readonly string[],
  meant: (written: string) => T | undefined,
): Flag<T | undefined> {
  return {
    value,
    description,
    words,
    read(given, name) {
      const written = textOf(given);
      if (written === undefined) return undefined;
      const found = meant(written);
      if (found !== undefined) return found;
      throw new SublError('usage', `\`${written}\` is not one of ${inTicks(words).join(', ')}`, {
        help: `it was given for \`${name}\`${nearText(words, written)}`,
      });
    },
  };
}

function nearText(words: readonly string[], written: string): string {
  const isLower = words.every((word) => word === word.toLowerCase());
  const found = nearest(words, isLower ? written.toLowerCase() : written.toUpperCase());
  return found.length === 0 ? '' : `: did you mean ${inTicks(found).join(' or ')}?`;
}

function inTicks(words: readonly string[]): readonly string[] {
  return words.map((word) => `\`${word}\``);
}

/** A moment in epoch milliseconds, undefined when it was not given. A day that is named is its `edge`. */
export function moment(value: string, description: string, edge: Edge = 'start'): Flag<number | undefined> {
  return {
    value,
    description,
    read(given, name, now) {
      const written = textOf(given);
      if (written === undefined) return undefined;
      const found = parseMoment(written, now, edge);
      if (found !== null) return found;
      throw new SublError('usage', `\`${written}\` is not a time`, {
        help: `\`${name}\` takes an age (\`15m\`, \`2h\`, \`7d\`), a day (\`today\`, \`yesterday\`, \`monday\`, a date), or a time such as \`2026-01-31T12:00:00Z\``,
      });
    },
  };
}

/** A flag as commander has it, with the words that it takes. */
export class WordOption extends Option {
  words: readonly string[] = [];
}

/** Adds flags to a command. */
export function declare(command: Command, flags: Flags): void {
  for (const [key, one] of Object.entries(flags)) {
    const { value = '', description, short, off } = one;
    const letter = short === undefined ? '' : `-${short}, `;
    if (off === undefined || description !== '') {
      const option = new WordOption(`${letter}${dashed(key)} ${value}`.trim(), description);
      option.words = one.words ?? [];
      if (one.isRequired === true) option.makeOptionMandatory();
      if (one.isRepeated === true) {
        option.argParser((more: string, before: unknown) => [...textsOf(before), more]);
      }
      command.addOption(option);
    }
    if (off !== undefined) command.addOption(new Option(dashed(key).replace('--', '--no-'), off));
  }
}

/** The values that commander read for these flags. Throws `usage` for one that does not fit its type. */
export function valuesOf<F extends Flags>(flags: F, command: Command, now: number): Values<F> {
  const given: Readonly<Record<string, unknown>> = command.opts();
  const values = Object.entries(flags).map(([key, { read }]) => [key, read(given[key], dashed(key), now)]);
  return Object.fromEntries(values) as Values<F>;
}

function textOf(given: unknown): string | undefined {
  return typeof given === 'string' ? given : undefined;
}

function textsOf(given: unknown): readonly string[] {
  return Array.isArray(given) ? given.filter((item) => typeof item === 'string') : [];
}

/** A flag as it is written: keys go by `failOn`, people by `--fail-on`. */
export function dashed(key: string): string {
  return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
