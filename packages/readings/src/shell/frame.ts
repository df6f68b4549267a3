import type { CommandNode, CompoundList } from 'unbash';
import { MAX_WORD } from './bounds.js';
import { HOLE } from './marks.js';
import type { Place } from '../paths/normal.js';
import type { SimpleCommand, Stdin } from './command.js';

/** Variables that choose which code a program is. */
const CHOOSING: ReadonlySet<string> = new Set([
  'PATH',
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'LD_AUDIT',
  'DYLD_INSERT_LIBRARIES',
  'BASH_ENV',
]);

/** The variables of a shell; a subshell changes its own alone. */
export class Variables {
  readonly #own = new Map<string, string>();
  readonly #outer: Variables | undefined;
  #choose = false;

  constructor(outer?: Variables) {
    this.#outer = outer;
  }

  get(name: string): string | undefined {
    return this.#own.get(name) ?? this.#outer?.get(name);
  }

  /** Some of them choose which code a program is. */
  get choose(): boolean {
    return this.#choose || this.#outer?.choose === true;
  }

  set(name: string, value: string): void {
    if (CHOOSING.has(name)) this.#choose = true;
    this.#own.set(name, value.length > MAX_WORD ? HOLE : value);
  }
}

/** The state of one shell, as far as its text tells it. */
export interface Frame {
  /** At most three readings. */
  cwd: readonly string[];
  readonly variables: Variables;
  readonly functions: Map<string, CommandNode | CompoundList>;
  readonly aliases: Map<string, string>;
  readonly via: readonly string[];
  readonly depth: number;
  readonly isRemote: boolean;
  readonly mounts: readonly (readonly [from: string, to: string])[];
  /** Functions whose bodies are being read. */
  readonly inside: ReadonlySet<string>;
  /** The input of a loop's body. */
  piped: Stdin | undefined;
}

/** A frame whose changes do not reach `frame`. */
export function fork(frame: Frame, changes: Partial<Frame> = {}): Frame {
  return { ...frame, variables: new Variables(frame.variables), ...changes };
}

/** A text that a program runs as commands of its own. */
export interface InnerText {
  readonly text: string;
  readonly via: string;
}

/** Given to a simple command besides its words. */
export interface Given {
  readonly redirections: readonly { readonly operator: string; readonly to: string }[];
  readonly assignments: readonly (readonly [name: string, value: string])[];
  readonly stdin: Stdin | undefined;
}

export const NOTHING_GIVEN: Given = { redirections: [], assignments: [], stdin: undefined };

/** The reading that is under way, for the parts of the reader that call one another. */
export interface Shell {
  readonly place: Place;
  readonly commands: SimpleCommand[];
  /** Notes why a part was not read; the first reason stays. */
  miss(why: string): void;
  /** Takes a text from the budget; false where it is spent, which is noted. */
  spend(bytes: number): boolean;
  /** Reads a text as commands. */
  script(frame: Frame, text: string): void;
  /** Reads a text as commands that `via` starts, in a shell of its own. */
  inner(frame: Frame, inner: InnerText): void;
  /** Reads a simple command whose words are known. */
  run(frame: Frame, words: readonly string[], given: Given): void;
  /** Reads a node that was parsed. */
  walk(frame: Frame, node: CommandNode | CompoundList, stdin: Stdin | undefined): void;
  /** The here-document that was cut out under a number. */
  cut(number: number): string | undefined;
}

function chooses({ variables }: Frame, { assignments }: Given): boolean {
  return variables.choose || assignments.some(([own]) => CHOOSING.has(own));
}

/** Notes a command. */
export function push(
  shell: Shell,
  frame: Frame,
  words: readonly string[],
  given: Given,
  program: string,
  more: Partial<Pick<SimpleCommand, 'isWrapper' | 'runsUnknown'>> = {},
): SimpleCommand {
  const command: SimpleCommand = {
    program,
    words,
    redirections: given.redirections,
    assignments: given.assignments,
    cwd: frame.cwd,
    via: frame.via,
    stdin: given.stdin ?? frame.piped,
    isRemote: frame.isRemote,
    mounts: frame.mounts,
    isWrapper: false,
    hasOwnEnvironment: chooses(frame, given),
    runsUnknown: false,
    ...more,
  };
  shell.commands.push(command);
  return command;
}
