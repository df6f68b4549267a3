import { SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { flag } from '../program/flags.js';
import type { Does } from '../program/verb.js';
import { RUN_FLAGS, WORLD_FLAGS } from '../run/command/flags.js';
import { runCommand } from '../run/command/run-command.js';

const FLAGS = {
  ...RUN_FLAGS,
  world: flag('run it in a world: every connection of every program is the gateway’s (Linux)'),
  ...WORLD_FLAGS,
};

/** `sub run -- CMD…`: the command and all it starts are one run. Its exit code is the command's. */
export function define(command: Command, does: Does): void {
  does(
    command
      .usage('[options] -- <command> [arguments…]')
      .argument('<command...>', 'the agent, with its arguments')
      .passThroughOptions(),
    FLAGS,
    async (call) => {
      const { world, read, write, pass } = call.flags;
      if (!world && read.length + write.length + pass.length > 0)
        throw new SublError('usage', '`--read`, `--write` and `--pass` say what a world shows', {
          help: 'add `--world`',
        });
      if (!world) return runCommand(call);
      // Loaded late: most runs have no world.
      const { viewOfFlags } = await import('../run/command/world-flags.js');
      return runCommand(call, { view: viewOfFlags(call), pass, isJudged: false });
    },
  );
}
