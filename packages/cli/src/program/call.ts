import { SublError } from '@subluminal/core-types';
import { defaultHome, homePaths, type HomePaths } from '@subluminal/ipc';
import type { Output } from '../output/output.js';
import { parseMoment } from '../output/time.js';
import type { Session } from './session.js';

/** One use of a verb: its operands and flags, read with their types checked (`usage` where they do not fit). */
export class Call {
  readonly session: Session;
  /** Its words, as `allow add`. */
  readonly verb: string;
  readonly args: readonly string[];
  readonly #options: Readonly<Record<string, unknown>>;

  constructor(
    session: Session,
    verb: string,
    args: readonly string[],
    options: Readonly<Record<string, unknown>>,
  ) {
    this.session = session;
    this.verb = verb;
    this.args = args;
    this.#options = options;
  }

  get output(): Output {
    return this.session.output;
  }

  /** The operand at `index`; commander has already insisted on the required ones. */
  operand(index: number, name: string): string {
    const value = this.args[index];
    if (value === undefined) throw new SublError('usage', `\`${name}\` is missing`);
    return value;
  }

  /**
   * The id at `index`, of a command that `takesId`. Ids are random and may begin with a dash; a short one that does is a
   * flag that does not exist.
   */
  id(index: number, name: string): string {
    const value = this.operand(index, name);
    if (!value.startsWith('-') || /^[A-Za-z0-9_-]{16,64}$/.test(value)) return value;
    throw new SublError('usage', `unknown option \`${value}\``, { help: 'see `sub help`' });
  }

  /** A flag without a value. */
  flag(name: string): boolean {
    return this.#options[name] === true;
  }

  /** Whether `--no-<name>` was given. */
  isSwitchedOff(name: string): boolean {
    return this.#options[name] === false;
  }

  /** The value of a flag, undefined when it was not given. */
  text(name: string): string | undefined {
    const value = this.#options[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** The values of a flag that may be repeated. */
  texts(name: string): readonly string[] {
    const value = this.#options[name];
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
  }

  /** A whole number between `min` and `max`, undefined when the flag was not given. */
  whole(name: string, min: number, max: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) {
      throw new SublError('usage', `\`${text}\` is not a whole number from ${min} to ${max}`, {
        help: `it was given for \`--${name}\``,
      });
    }
    return value;
  }

  /** One of a few words, undefined when the flag was not given. */
  choice<const T extends string>(name: string, choices: readonly T[]): T | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const found = choices.find((choice) => choice === text);
    if (found !== undefined) return found;
    throw new SublError(
      'usage',
      `\`${text}\` is not one of ${choices.map((one) => `\`${one}\``).join(', ')}`,
      {
        help: `it was given for \`--${dashed(name)}\``,
      },
    );
  }

  /** A moment in epoch milliseconds, undefined when the flag was not given. */
  moment(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const moment = parseMoment(text, this.session.now());
    if (moment !== null) return moment;
    throw new SublError('usage', `\`${text}\` is not a time`, {
      help: `\`--${name}\` takes an age (\`90s\`, \`15m\`, \`2h\`, \`7d\`), a date, or a time such as \`2026-01-31T12:00:00Z\``,
    });
  }

  /** The home that this command is about: `--home`, else `SUB_HOME`, else the user's own. Nothing is created. */
  get home(): HomePaths {
    return homePaths(this.#givenHome() ?? this.session.environment.subHome ?? defaultHome());
  }

  /** As `home`, for the shim: a repository's config sets its environment, so that decides nothing. */
  get homeIgnoringEnvironment(): HomePaths {
    return homePaths(this.#givenHome() ?? defaultHome());
  }

  /** An empty `--home` is a variable that was not set, and must not mean the working folder. */
  #givenHome(): string | undefined {
    const home = this.text('home');
    if (home !== '') return home;
    throw new SublError('usage', '`--home` is empty', { help: 'give it a folder, or leave it out' });
  }
}

/** A flag as it is written: options go by `failOn`, people by `--fail-on`. */
function dashed(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
