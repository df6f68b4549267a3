import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineChange } from './change.js';

export function defineRemove(group: Command, does: Does): void {
  defineChange(group, does, 'remove', 'take an entry off the allowlist');
}
