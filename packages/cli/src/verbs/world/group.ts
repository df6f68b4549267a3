import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineDoctor } from './doctor.js';
import { defineExec } from './exec.js';

/** `sub world …`: commands whose every connection is the gateway's. */
export function define(command: Command, does: Does): void {
  defineExec(command, does);
  defineDoctor(command, does);
}
