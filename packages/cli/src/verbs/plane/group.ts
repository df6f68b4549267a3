import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineExplain } from './explain.js';
import { definePromote } from './promote.js';
import { defineStats } from './stats.js';
import { defineStatus } from './status.js';

/** `sub plane …`: where the work of agents changes. */
export function define(command: Command, does: Does): void {
  defineStatus(command, does);
  defineExplain(command, does);
  defineStats(command, does);
  definePromote(command, does);
}
