import { isSublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../exit/codes.js';
import { dataOf, withGateway } from '../gateway/door.js';
import { assertOutsideRun } from '../gateway/outside-run.js';
import type { Does } from '../program/verb.js';

const STOP_TIMEOUT_MS = 30_000;

/** `sub down`: stops the gateway and waits until it has. Nothing runs is the state that was asked for. */
export function define(command: Command, does: Does): void {
  command.action(
    does(async (call) => {
      assertOutsideRun(call.home);
      const stopped = await stop(call.home, call.session.now);
      if (call.output.json) call.output.value({ stopped });
      else call.output.line(stopped ? 'the gateway has stopped' : 'no gateway is running');
      return EXIT.done;
    }),
  );
}

async function stop(home: Parameters<typeof withGateway>[0], now: () => number): Promise<boolean> {
  try {
    await withGateway(home, 'operator', now, async (client) => {
      dataOf(await client.request('gateway.stop', {}, { timeoutMs: STOP_TIMEOUT_MS }));
      await client.closed;
    });
    return true;
  } catch (error) {
    if (isSublError(error, 'gateway_unreachable') && error.details?.['absent'] === true) return false;
    throw error;
  }
}
