import type { JsonObject } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../exit/codes.js';
import { askOperator } from '../gateway/door.js';
import { objectAt } from '../output/fields.js';
import { printable } from '../output/printable.js';
import type { Does } from '../program/verb.js';

/** `sub status`: the gateway, its runs, its policy and the head of its ledger. */
export function define(command: Command, does: Does): void {
  command.action(
    does(async (call) => {
      const status = await askOperator(call.home, call.session.now, 'gateway.status');
      const whole: JsonObject = { ...objectAt(status), socket: call.home.socket, home: call.home.home };
      if (call.output.json) call.output.value(whole);
      else call.output.lines(printable(whole));
      return EXIT.done;
    }),
  );
}
