import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineAnswer } from './answer.js';
import { defineList } from './list.js';

/** `sub approvals …`: actions that wait for the operator. A grant is used once, by that client, for that payload. */
export function define(command: Command, does: Does): void {
  defineList(command, does);
  defineAnswer(command, does, 'approve', 'grant one waiting action, once');
  defineAnswer(command, does, 'deny', 'refuse one waiting action');
}
