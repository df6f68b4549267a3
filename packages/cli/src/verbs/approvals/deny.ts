import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineAnswer } from './answer.js';

export function defineDeny(group: Command, does: Does): void {
  defineAnswer(group, does, 'deny', 'refuse one waiting action');
}
