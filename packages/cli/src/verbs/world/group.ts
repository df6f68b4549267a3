import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineClose } from './close.js';
import { defineCommit } from './commit.js';
import { defineDiff } from './diff.js';
import { defineDiscard } from './discard.js';
import { defineDoctor } from './doctor.js';
import { defineExec } from './exec.js';
import { defineProfile } from './profile.js';
import { defineRestart } from './restart.js';
import { defineShell } from './shell.js';
import { defineStatus } from './status.js';
import { defineWarm } from './warm.js';

/** `sub world …`: commands whose every connection is the gateway's. */
export function define(command: Command, does: Does): void {
  defineExec(command, does);
  defineShell(command, does);
  defineStatus(command, does);
  defineDiff(command, does);
  defineCommit(command, does);
  defineDiscard(command, does);
  defineWarm(command, does);
  defineRestart(command, does);
  defineClose(command, does);
  defineProfile(command, does);
  defineDoctor(command, does);
}
