import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineAnchor } from './anchor.js';
import { defineBackup } from './backup.js';
import { defineCheckpoint } from './checkpoint.js';
import { defineProve } from './prove.js';
import { defineRestore } from './restore.js';
import { defineStatus } from './status.js';
import { defineVerify } from './verify.js';

/** `sub audit …`: the proof that the record is whole. */
export function define(command: Command, does: Does): void {
  defineVerify(command, does);
  defineAnchor(command, does);
  defineCheckpoint(command, does);
  defineProve(command, does);
  defineBackup(command, does);
  defineRestore(command, does);
  defineStatus(command, does);
  command.addHelpText(
    'after',
    '\nBeside it: `sub export run` writes a run with its proof, `sub ingest` keeps\nthose of other places, and `sub witness` cosigns checkpoints.',
  );
}
