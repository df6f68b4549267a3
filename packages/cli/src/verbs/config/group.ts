import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineGet } from './get.js';
import { defineSet } from './set.js';

/** `sub config …`: the settings of the gateway, in `config.toml`. */
export function define(command: Command, does: Does): void {
  defineGet(command, does);
  defineSet(command, does);
}
