import type { Command } from 'commander';
import { defineLater } from '../../program/later.js';
import type { Does } from '../../program/verb.js';
import { defineCompile } from './compile.js';
import { defineExplain } from './explain.js';
import { defineKeygen } from './keygen.js';
import { defineLint } from './lint.js';
import { defineReload } from './reload.js';
import { defineReplay } from './replay.js';
import { defineShow } from './show.js';
import { defineSign } from './sign.js';

const LATER = ['diff', 'test'] as const;

/** `sub policy …`: governance as code. */
export function define(command: Command, does: Does): void {
  defineLint(command, does);
  defineCompile(command, does);
  defineSign(command, does);
  defineKeygen(command, does);
  defineShow(command, does);
  defineReload(command, does);
  defineExplain(command, does);
  defineReplay(command, does);
  for (const name of LATER) defineLater(command, name, does);
}
