/** Where a command's standard input comes from. */
export type Stdin =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'commands'; readonly from: readonly SimpleCommand[] }
  | { readonly is: 'file'; readonly path: string };

/** An input that only run time knows. */
export const UNKNOWN_INPUT: Stdin = { is: 'commands', from: [] };

/** A redirection to or from a file. */
export interface FileRedirection {
  readonly operator: string;
  readonly to: string;
}

/** One simple command, its words as far as they can be told before it runs; see `marks.ts`. */
export interface SimpleCommand {
  /** The base name; empty for a bare redirection. */
  readonly program: string;
  /** Quotes removed, the program first as it was written. */
  readonly words: readonly string[];
  readonly redirections: readonly FileRedirection[];
  readonly assignments: readonly (readonly [name: string, value: string])[];
  /** The folders in which it may run. */
  readonly cwd: readonly string[];
  /** The programs that start it, outermost first: `sudo`, `xargs`, `sh`. */
  readonly via: readonly string[];
  readonly stdin: Stdin | undefined;
  /** It runs on another machine, or in a container: its paths are not of this one. */
  readonly isRemote: boolean;
  /** Variables that the text sets choose which code its program is. */
  readonly hasOwnEnvironment: boolean;
  /** It only starts other commands. */
  readonly isWrapper: boolean;
  /** It runs text as code that only run time knows. */
  readonly runsUnknown: boolean;
  /** A folder of this machine that it sees under another name. */
  readonly mounts: readonly (readonly [from: string, to: string])[];
}

/** The last part of a program's name, without the ending of Windows. */
export function baseName(word: string): string {
  const name = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
  return name.includes('.') ? name.replace(/\.(?:exe|cmd|bat|com)$/i, '') : name;
}

/** A command with nothing in it. */
export const NO_COMMAND: SimpleCommand = {
  program: '',
  words: [],
  redirections: [],
  assignments: [],
  cwd: [],
  via: [],
  stdin: undefined,
  isRemote: false,
  isWrapper: false,
  hasOwnEnvironment: false,
  runsUnknown: false,
  mounts: [],
};
