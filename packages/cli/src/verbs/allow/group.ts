import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineAdd } from './add.js';
import { defineDeactivate } from './deactivate.js';
import { defineList } from './list.js';
import { definePreset } from './preset.js';
import { defineRemove } from './remove.js';
import { defineSeen, USED } from './seen.js';

/** `sub allow …`: the allowlist. Empty means that no action reaches any host. */
export function define(command: Command, does: Does): void {
  command.addHelpText('after', USED);
  defineAdd(command, does);
  defineList(command, does);
  defineSeen(command, does);
  definePreset(command, does);
  defineRemove(command, does);
  defineDeactivate(command, does);
}
