import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineApprove } from './approve.js';
import { defineDiff } from './diff.js';
import { defineForget } from './forget.js';
import { defineList } from './list.js';

/** `sub tools …`: what servers say of their tools, and whether it is what was approved. */
export function define(command: Command, does: Does): void {
  defineList(command, does);
  defineDiff(command, does);
  defineApprove(command, does);
  defineForget(command, does);
}
