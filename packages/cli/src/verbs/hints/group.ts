import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineList } from './list.js';
import { definePromote } from './promote.js';
import { defineShow } from './show.js';

/** `sub hints …`: what refused calls were told, and letting such calls through. */
export function define(command: Command, does: Does): void {
  defineList(command, does);
  defineShow(command, does);
  definePromote(command, does);
}
