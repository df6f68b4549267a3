import type { Command } from 'commander';
import type { Call } from './call.js';

/** What one use of a verb does. Resolves to the exit code of the process. */
export type Work = (call: Call) => Promise<number>;

/** What a verb's file exports: its operands and flags, and what it does with them. */
export interface VerbModule {
  define(command: Command, does: Does): void;
}

/** Makes a commander action of a verb's work. */
export type Does = (work: Work) => (this: Command) => Promise<void>;

/** One entry of the table of verbs. */
export interface VerbEntry {
  readonly name: string;
  readonly summary: string;
  /** Under which heading `sub help` lists it. */
  readonly heading: string;
  readonly load: () => Promise<VerbModule>;
}

/** A verb inside a group (`sub allow add`), with the flags that every verb has. */
export function subVerb(
  group: Command,
  name: string,
  summary: string,
  homeDefault = '$SUB_HOME, else ~/.subluminal',
): Command {
  return commonOptions(group.command(name).summary(summary).description(`${summary}.`), homeDefault);
}

/** The flags that every verb has. */
export function commonOptions(command: Command, homeDefault = '$SUB_HOME, else ~/.subluminal'): Command {
  return command
    .option('--home <folder>', `the home to use (default: ${homeDefault})`)
    .option('--json', 'print JSON for programs');
}

/** Declares the one operand of a command to be an id, which may begin with a dash: read it with `Call.id`. */
export function takesId(command: Command, name: string, description: string): Command {
  return command.allowUnknownOption().argument(name, description);
}
