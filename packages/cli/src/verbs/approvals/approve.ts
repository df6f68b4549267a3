import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineAnswer } from './answer.js';

export function defineApprove(group: Command, does: Does): void {
  defineAnswer(group, does, 'approve', 'grant one waiting action, once');
}
