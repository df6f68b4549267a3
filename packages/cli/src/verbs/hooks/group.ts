import type { Command } from 'commander';
import type { Does } from '../../program/verb.js';
import { defineBegin } from './begin.js';
import { defineExplain } from './explain.js';
import { defineInstall } from './install.js';
import { defineServe } from './serve.js';
import { defineStatus } from './status.js';
import { defineUninstall } from './uninstall.js';

/** `sub hooks …`: what clients do with their own tools asks the gateway, too. */
export function define(command: Command, does: Does): void {
  defineInstall(command, does);
  defineStatus(command, does);
  defineExplain(command, does);
  defineUninstall(command, does);
  defineBegin(command, does);
  defineServe(command, does);
}
