import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineCompile } from './compile.js';
import { defineDiff } from './diff.js';
import { defineExplain } from './explain.js';
import { defineInit } from './init.js';
import { defineKeygen } from './keygen.js';
import { defineLint } from './lint.js';
import { defineReload } from './reload.js';
import { defineReplay } from './replay.js';
import { defineSchema } from './schema.js';
import { defineShow } from './show.js';
import { defineSign } from './sign.js';
import { defineTest } from './test.js';
import { defineTrust } from './trust.js';
import { defineUntrust } from './untrust.js';

/** `sub policy …`: governance as code. */
export function define(command: Command, does: Does): void {
  defineInit(command, does);
  defineLint(command, does);
  defineTest(command, does);
  defineDiff(command, does);
  defineExplain(command, does);
  defineReplay(command, does);
  defineCompile(command, does);
  defineSign(command, does);
  defineKeygen(command, does);
  defineSchema(command, does);
  defineShow(command, does);
  defineReload(command, does);
  defineTrust(command, does);
  defineUntrust(command, does);
}
