import type { Command } from 'commander';
import { runForeground } from '../gateway/foreground.js';
import type { Does } from '../program/verb.js';

/** `sub ledgerd`: another name for the gateway in the foreground. */
export function define(command: Command, does: Does): void {
  does(command, {}, runForeground);
}
