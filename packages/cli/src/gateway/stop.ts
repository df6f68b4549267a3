import { existsSync } from 'node:fs';
import { isSublError, SublError, type ProcessIdentity } from '@subluminal/core-types';
import { isAlive, processIdentity, readGatewayFile, type HomePaths } from '@subluminal/ipc';
import { numberAt } from '../output/fields.js';
import { dataOf, withGateway } from './door.js';

const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 10;

/**
 * Stops the gateway of a home and waits until its process is gone; runs go on, for the next one to find. Its pid, undefined
 * where none ran. Errors: those of the door; `failed` where it has not ended within half a minute.
 */
export async function stopGateway(home: HomePaths, now: () => number): Promise<number | undefined> {
  const gateway = await askToStop(home, now);
  if (gateway === undefined) return undefined;
  const deadline = now() + STOP_TIMEOUT_MS;
  while (isAlive(gateway)) {
    if (now() > deadline) {
      throw new SublError('failed', `the gateway (pid ${gateway.pid}) has not stopped yet`, {
        help: `look into \`${home.gatewayLog}\``,
      });
    }
    await pause(POLL_MS);
  }
  return gateway.pid;
}

/** The process that was asked, undefined when there is none. */
async function askToStop(home: HomePaths, now: () => number): Promise<ProcessIdentity | undefined> {
  try {
    return await withGateway(home, 'operator', now, async (client) => {
      // Who it is has to be known before it stops: afterwards its pid could be another process's.
      const pid = numberAt(dataOf(await client.request('gateway.status', {})), 'pid') ?? 0;
      const gateway = processIdentity(pid);
      dataOf(await client.request('gateway.stop', {}));
      return gateway;
    });
  } catch (error) {
    if (isAbsence(error, home)) return undefined;
    if (isSublError(error, 'version_mismatch')) return signal(home, error);
    throw error;
  }
}

/** A gateway that no request of ours reaches still ends as the system asks it to, and writes its last entries. */
function signal(home: HomePaths, error: SublError): ProcessIdentity {
  const gateway = readGatewayFile(home.gatewayFile);
  if (gateway === undefined) throw error;
  process.kill(gateway.pid, 'SIGTERM');
  return { pid: gateway.pid, start: gateway.start };
}

/** Nobody listens; or there are no keys yet and no socket either: no gateway was ever here. */
function isAbsence(error: unknown, home: HomePaths): boolean {
  if (isSublError(error, 'gateway_unreachable')) return error.details?.['absent'] === true;
  return isSublError(error, 'key_missing') && !existsSync(home.socket);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
