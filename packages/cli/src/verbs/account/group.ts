import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineAdd } from './add.js';
import { defineList } from './list.js';
import { defineRemove } from './remove.js';
import { defineTest } from './test.js';

/** `sub account …`: the accounts with services outside that actions are done with. */
export function define(command: Command, does: Does): void {
  defineAdd(command, does);
  defineList(command, does);
  defineTest(command, does);
  defineRemove(command, does);
}
