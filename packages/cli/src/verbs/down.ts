import { existsSync } from 'node:fs';
import { isSublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../program/exit/codes.js';
import { readSettings } from '../home/settings.js';
import { assertOutsideRun } from '../gateway/outside-run.js';
import { stopGateway } from '../gateway/stop.js';
import type { Call } from '../program/call.js';
import type { Does } from '../program/verb.js';

const AGAIN =
  'it starts again with the next call of a client (`autostart` in config.toml); `sub panic` refuses everything until `sub resume`';

/**
 * `sub down`: stops the gateway and waits until its process is gone. That none runs is what was asked for.
 */
export function define(command: Command, does: Does): void {
  does(command, {}, async (call) => {
    await assertOutsideRun(call);
    const pid = await stopGateway(call.home, call.session.now, (remark) => call.output.note(remark));
    if (call.output.json) call.output.value({ stopped: pid !== undefined, pid: pid ?? null });
    else
      call.output.line(pid === undefined ? 'no gateway is running' : `the gateway has stopped (pid ${pid})`);
    if (startsAgain(call)) call.output.note(AGAIN);
    return EXIT.done;
  });
}

/** Where there is a home that a shim would start it for. */
function startsAgain({ home }: Call): boolean {
  try {
    return existsSync(home.home) && readSettings(home).autostart;
  } catch (error) {
    // With a `config.toml` that cannot be read nothing starts.
    if (isSublError(error, 'config_invalid')) return false;
    throw error;
  }
}
