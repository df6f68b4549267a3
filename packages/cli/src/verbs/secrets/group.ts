import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineAdd } from './add.js';
import { defineBind, EXAMPLE } from './bind.js';
import { defineGet } from './get.js';
import { defineList } from './list.js';
import { defineRemove } from './remove.js';
import { defineUnbind } from './unbind.js';

/** `sub secrets …`: what servers get in their environment, and agents never see. */
export function define(command: Command, does: Does): void {
  command.addHelpText('after', EXAMPLE);
  defineAdd(command, does);
  defineGet(command, does);
  defineList(command, does);
  defineRemove(command, does);
  defineBind(command, does);
  defineUnbind(command, does);
}
