import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineAdd } from './add.js';
import { defineChange } from './change.js';
import { defineList } from './list.js';
import { defineSeen } from './seen.js';

/** `sub allow …`: the allowlist. Empty means that no action reaches any host. */
export function define(command: Command, does: Does): void {
  defineAdd(command, does);
  defineList(command, does);
  defineSeen(command, does);
  defineChange(command, does, 'remove', 'take an entry off the allowlist');
  defineChange(command, does, 'deactivate', 'keep an entry, but no longer allow its host');
}
