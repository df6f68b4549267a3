import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineApprove } from './approve.js';
import { defineDeny } from './deny.js';
import { defineList } from './list.js';

/**
 * `sub approvals …`: actions that wait for the operator. A grant is used once, by that client, for that
 * payload.
 */
export function define(command: Command, does: Does): void {
  defineList(command, does);
  defineApprove(command, does);
  defineDeny(command, does);
}
