import { basename } from 'node:path';
import type { ProcessIdentity } from '@subluminal/core-types';

const SHELLS: ReadonlySet<string> = new Set(['sh', 'ash', 'bash', 'dash', 'ksh', 'zsh']);
/** `sh -c`, also among other letters: `bash -lc`. */
const RUNS_ONE_COMMAND = /^-[a-zA-Z]*c[a-zA-Z]*$/;
/** npm and its kin show their verb as their title, which replaces their arguments. */
const LAUNCHER_TITLE = /^(?:npm|npx|pnpm|yarn|bun)(?: |$)/;
const LAUNCHER_SCRIPT = /(?:^|\/)(?:npm|npx|pnpm|yarn)(?:-cli)?(?:\.c?js)?$/;

/** The questions to the system. */
export interface ProcessTable {
  /** Ancestors of this process, the parent first. */
  readonly ancestors: readonly ProcessIdentity[];
  readonly commandLine: (pid: number) => readonly string[];
}

/**
 * The process that a run without a ticket belongs to: the client that started this shim, and not the `sh -c`
 * or `npx` through which it did, since each server would then be a run of its own. A shell without `-c` is
 * somebody's terminal and is never passed by. Undefined when this process has no parent any more.
 */
export function clientProcess({ ancestors, commandLine }: ProcessTable): ProcessIdentity | undefined {
  return ancestors.find(({ pid }) => !isWrapper(commandLine(pid))) ?? ancestors[0];
}

/** Tells whether a process with these arguments only runs one command for another one and then ends. */
export function isWrapper(argv: readonly string[]): boolean {
  const [program = '', ...args] = argv;
  if (LAUNCHER_TITLE.test(program)) return true;
  const name = basename(program);
  if (SHELLS.has(name)) return args.some((arg) => RUNS_ONE_COMMAND.test(arg));
  return name === 'node' && LAUNCHER_SCRIPT.test(args[0] ?? '');
}
