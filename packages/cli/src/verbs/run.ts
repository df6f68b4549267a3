import { SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { flag, string } from '../program/flags.js';
import type { Does } from '../program/verb.js';
import { RUN_FLAGS, WORLD_FLAGS } from '../run/command/flags.js';
import { runCommand } from '../run/command/run-command.js';

const FLAGS = {
  ...RUN_FLAGS,
  world: flag('run it in a world: every connection of every program is the gateway’s (Linux)'),
  ...WORLD_FLAGS,
  layer: string('<id>', 'go on with the layer of an earlier world'),
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
      const { world, read, write, writeThrough, pass, layer } = call.flags;
      const isOfWorld = read.length + write.length + pass.length > 0 || writeThrough || layer !== undefined;
      if (!world && isOfWorld)
        throw new SublError(
          'usage',
          '`--read`, `--write`, `--write-through`, `--layer` and `--pass` say how a world is',
          { help: 'add `--world`' },
        );
      if (writeThrough && layer !== undefined)
        throw new SublError('usage', 'a world that writes through has no layer', {
          help: 'leave `--layer` or `--write-through` out',
        });
      if (!world) return runCommand(call);
      // Loaded late: most runs have no world.
      const { viewOfFlags } = await import('../run/command/world-flags.js');
      return runCommand(call, { view: viewOfFlags(call), pass, layer, isJudged: false });
    },
  );
}
