import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineEnd } from './end.js';
import { defineOpen } from './open.js';
import { defineUnlock } from './unlock.js';

/** `sub ui …`: the page. */
export function define(group: Command, does: Does): void {
  defineOpen(group, does);
  defineUnlock(group, does);
  defineEnd(group, does);
}
