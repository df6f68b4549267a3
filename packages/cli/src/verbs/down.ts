import type { Command } from 'commander';
import { EXIT } from '../exit/codes.js';
import { stopGateway } from '../gateway/stop.js';
import type { Does } from '../program/verb.js';

/** `sub down`: stops the gateway and waits until its process is gone. That none runs is what was asked for. */
export function define(command: Command, does: Does): void {
  command.action(
    does(async (call) => {
      const pid = await stopGateway(call.home, call.session.now);
      if (call.output.json) call.output.value({ stopped: pid !== undefined, pid: pid ?? null });
      else
        call.output.line(
          pid === undefined ? 'no gateway is running' : `the gateway has stopped (pid ${pid})`,
        );
      return EXIT.done;
    }),
  );
}
