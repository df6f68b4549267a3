import type { Command } from 'commander';
import { subVerb, type Does } from '../../program/verb.js';
import { RUN_FLAGS, WORLD_FLAGS } from '../../run/command/flags.js';
import { runCommand } from '../../run/command/run-command.js';

/**
 * `sub world exec -- CMD…`: one command in a world of its own; in the run around it, else in one of its own.
 */
export function defineExec(group: Command, does: Does): void {
  does(
    subVerb(group, 'exec', 'run a command that reaches nothing but what the gateway lets it')
      .usage('[options] -- <command> [arguments…]')
      .argument('<command...>', 'the command, with its arguments')
      .passThroughOptions(),
    { ...RUN_FLAGS, ...WORLD_FLAGS },
    (call) => runCommand(call, call.flags),
  );
}
