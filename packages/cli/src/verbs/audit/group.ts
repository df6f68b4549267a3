import type { Command } from 'commander';
import { defineLater } from '../../program/later.js';
import type { Does } from '../../program/verb.js';
import { defineVerify } from './verify.js';

/** `sub audit …`: the proof that the record is whole. */
export function define(command: Command, does: Does): void {
  defineVerify(command, does);
  defineLater(command, 'checkpoint', does);
  defineLater(command, 'prove', does);
}
