import type { Command } from 'commander';
import type { Call } from './call.js';
import { declare, flag, string, type Flag, type Flags, type Values } from './flags.js';

/** The work of one use of a verb. Resolves to the exit code of the process. */
export type Work<F extends Flags> = (call: Call<Values<F>>) => Promise<number>;

/** The surface of a verb's file. */
export interface VerbModule {
  define(command: Command, does: Does): void;
}

/** Gives a command its flags and its work. */
export type Does = <F extends Flags>(command: Command, flags: F, work: Work<F>) => void;

/** One entry of the table of verbs. */
export interface VerbEntry {
  readonly name: string;
  readonly summary: string;
  /** Under which heading `sub help` lists it. */
  readonly heading: string;
  /** The member of a group that is meant if the group is named alone; its help unless given. */
  readonly alone?: string;
  readonly load: () => Promise<VerbModule>;
}

/** A verb inside a group (`sub allow add`), with the flags that every verb has. */
export function subVerb(group: Command, name: string, summary: string, homeDefault?: string): Command {
  const command = group.command(name).summary(summary).description(`${summary}.`);
  declare(command, commonFlags(homeDefault));
  return command;
}

/** The flags that every verb has. */
export function commonFlags(homeDefault = '$SUB_HOME, else ~/.subluminal'): {
  readonly home: Flag<string | undefined>;
  readonly json: Flag<boolean>;
} {
  return {
    home: string('<folder>', `the home to use (default: ${homeDefault})`),
    json: flag('print JSON for programs'),
  };
}

/** Declares the one operand of a command to be an id, which may begin with a dash: read it with `Call.id`. */
export function takesId(command: Command, name: string, description: string): Command {
  return command.allowUnknownOption().argument(name, description);
}
