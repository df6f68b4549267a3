import type { Command } from 'commander';
import { EXIT } from '../exit/codes.js';
import { askOperator } from '../gateway/door.js';
import { runForeground } from '../gateway/foreground.js';
import { ensureGateway } from '../gateway/start.js';
import { createHome } from '../home/create.js';
import { escapeText } from '../output/escape.js';
import { textAt, numberAt } from '../output/fields.js';
import type { Does } from '../program/verb.js';

/** `sub up`: creates the home where there is none, starts the gateway, and returns once it answers. */
export function define(command: Command, does: Does): void {
  command.option('--foreground', 'stay, and stop the gateway with Ctrl-C').action(
    does(async (call) => {
      if (call.flag('foreground')) return runForeground(call);
      createHome(call.home);
      const started = await ensureGateway(call, 'asked');
      const status = await askOperator(call.home, call.session.now, 'gateway.status');
      const pid = numberAt(status, 'pid') ?? null;
      if (call.output.json) {
        call.output.value({
          started,
          pid,
          version: textAt(status, 'version'),
          socket: call.home.socket,
          home: call.home.home,
        });
      } else {
        const what = started ? 'the gateway is up' : 'the gateway was up already';
        call.output.line(`${what} (pid ${pid ?? 'unknown'}, ${escapeText(call.home.socket)})`);
      }
      return EXIT.done;
    }),
  );
}
