import { INTERFACE_VERSION } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../program/exit/codes.js';
import type { Does } from '../program/verb.js';
import { VERSION } from '../program/version.js';

/** `sub version`. */
export function define(command: Command, does: Does): void {
  does(command, {}, async ({ output }) => {
    if (output.json) {
      output.value({ version: VERSION, interface_pack: INTERFACE_VERSION, node: process.version });
    } else {
      output.line(`sub ${VERSION} (interface pack ${INTERFACE_VERSION}, node ${process.version})`);
    }
    return EXIT.done;
  });
}
