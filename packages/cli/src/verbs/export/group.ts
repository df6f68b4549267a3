import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineRun } from './run.js';

/** `sub export …`: what leaves the ledger with its proof. */
export function define(command: Command, does: Does): void {
  defineRun(command, does);
}
