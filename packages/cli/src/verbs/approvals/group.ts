import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineApprove } from './approve.js';
import { defineDeny } from './deny.js';
import { defineShow } from './show.js';
import { defineList } from './list.js';

/**
 * `sub approvals …`: what waits for a person: questions about calls, actions on services, held tools and
 * hints.
 */
export function define(command: Command, does: Does): void {
  defineList(command, does);
  defineShow(command, does);
  defineApprove(command, does);
  defineDeny(command, does);
}
