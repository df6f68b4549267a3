import { SublError } from '@subluminal/core-types';
import { byWorldDoor, defaultHome, homePaths, type HomePaths } from '@subluminal/ipc';
import type { Output } from '../output/output.js';
import type { Session } from './session.js';

/** The words of one use of a verb. */
export interface Words {
  /** The verb itself, as `allow add`. */
  readonly verb: string;
  readonly args: readonly string[];
  /** The value of `--home`, which every verb has. */
  readonly home: string | undefined;
}

/** One use of a verb, with its operands and the values of its flags. */
export class Call<V extends object = object> {
  readonly session: Session;
  readonly verb: string;
  readonly args: readonly string[];
  readonly flags: V;
  readonly #home: string | undefined;

  constructor(session: Session, { verb, args, home }: Words, flags: V) {
    this.session = session;
    this.verb = verb;
    this.args = args;
    this.flags = flags;
    this.#home = home;
  }

  get output(): Output {
    return this.session.output;
  }

  /** The same use, whose words are for people: its stdout is a command's. */
  forPeople(): Call<V> {
    const { args, flags, session, verb } = this;
    return new Call(
      { ...session, output: session.output.forPeople() },
      { verb, args, home: this.#home },
      flags,
    );
  }

  /** The operand at `index`; commander has already insisted on the required ones. */
  operand(index: number, name: string): string {
    const value = this.args[index];
    if (value === undefined) throw new SublError('usage', `\`${name}\` is missing`);
    return value;
  }

  /**
   * The id at `index`, of a command that `takesId`. Ids are random and may begin with a dash; a short one
   * that does is a flag that does not exist.
   */
  id(index: number, name: string): string {
    const value = this.operand(index, name);
    if (!value.startsWith('-') || /^[A-Za-z0-9_-]{16,64}$/.test(value)) return value;
    throw new SublError('usage', `unknown option \`${value}\``, { help: 'see `sub help`' });
  }

  /** As `id`, of a command whose one operand may be left out. */
  optionalId(name: string): string | undefined {
    return this.args.length === 0 ? undefined : this.id(0, name);
  }

  /**
   * The home that this command is about: `--home`, else `SUB_HOME`, else the user's own. Nothing is created.
   */
  get home(): HomePaths {
    return byWorldDoor(homePaths(this.#givenHome() ?? this.session.environment.subHome ?? defaultHome()));
  }

  /** As `home`, for the shim: a repository's config sets its environment, so that decides nothing. */
  get homeIgnoringEnvironment(): HomePaths {
    return byWorldDoor(homePaths(this.#givenHome() ?? defaultHome()));
  }

  /** An empty `--home` is a variable that was not set, and must not mean the working folder. */
  #givenHome(): string | undefined {
    if (this.#home !== '') return this.#home;
    throw new SublError('usage', '`--home` is empty', { help: 'give it a folder, or leave it out' });
  }
}
