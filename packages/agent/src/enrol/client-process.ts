import { basename } from 'node:path';
import type { ProcessIdentity } from '@subluminal/core-types';

const SHELLS: ReadonlySet<string> = new Set([
  'sh',
  'ash',
  'bash',
  'dash',
  'ksh',
  'zsh',
  'csh',
  'tcsh',
  'fish',
]);
/** Options of shells whose value is a word of its own. */
const TAKES_VALUE: ReadonlySet<string> = new Set(['--init-file', '--rcfile', '-O', '+O', '-o', '+o']);
/** `sh -c`, also among other letters: `bash -lc`. */
const RUNS_ONE_COMMAND = /^-[a-zA-Z]*c[a-zA-Z]*$/;
/** npm and its kin show their verb as their title, which replaces their arguments. */
const LAUNCHER_TITLE = /^(?:npm|npx|pnpm|yarn|bun)(?: |$)/;
const LAUNCHER_SCRIPT = /(?:^|\/)(?:npm|npx|pnpm|yarn)(?:-cli)?(?:\.c?js)?$/;

/** The questions to the system. */
export interface ProcessTable {
  /** The process that joins, where it stands below the others; undefined where it is the first of them. */
  readonly joins: ProcessIdentity | undefined;
  /** Ancestors of this process, the parent first. */
  readonly ancestors: readonly ProcessIdentity[];
  readonly commandLine: (pid: number) => readonly string[];
}

/**
 * The process that a run without a ticket belongs to: the client that started this shim, and not the `sh -c`
 * or `npx` through which it did, since each server would then be a run of its own. A shell without `-c` is
 * never passed by. Where it is somebody's terminal it does not become the run either, but what was started in
 * it. Undefined when this process has no parent any more.
 */
export function clientProcess({ joins, ancestors, commandLine }: ProcessTable): ProcessIdentity | undefined {
  const at = ancestors.findIndex(({ pid }) => !isWrapper(commandLine(pid)));
  const found = ancestors[at] ?? ancestors[0];
  const below = ancestors[at - 1] ?? joins;
  return found !== undefined && isTerminal(commandLine(found.pid)) ? (below ?? found) : found;
}

/** Tells whether a process with these arguments is a shell that was given neither a command nor a script. */
export function isTerminal([program = '', ...args]: readonly string[]): boolean {
  if (!SHELLS.has(basename(program).replace(/^-/, ''))) return false;
  const words = args.filter((arg, at) => !/^[-+]/.test(arg) && !TAKES_VALUE.has(args[at - 1] ?? ''));
  return words.length === 0 && !args.some((arg) => RUNS_ONE_COMMAND.test(arg));
}

/** Tells whether a process with these arguments only runs one command for another one and then ends. */
export function isWrapper(argv: readonly string[]): boolean {
  const [program = '', ...args] = argv;
  if (LAUNCHER_TITLE.test(program)) return true;
  const name = basename(program);
  if (SHELLS.has(name)) return args.some((arg) => RUNS_ONE_COMMAND.test(arg));
  return name === 'node' && LAUNCHER_SCRIPT.test(args[0] ?? '');
}
