import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineChange } from './change.js';

export function defineDeactivate(group: Command, does: Does): void {
  defineChange(group, does, 'deactivate', 'keep an entry, but no longer allow its host');
}
