import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineExplain } from './explain.js';

/** `sub plane …`: where the work of agents changes. */
export function define(command: Command, does: Does): void {
  defineExplain(command, does);
}
