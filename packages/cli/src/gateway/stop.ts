import { existsSync } from 'node:fs';
import { isSublError, numberAt, SublError, type ProcessIdentity } from '@subluminal/core-types';
import { gatewayListens, isAlive, processIdentity, readGatewayFile, type HomePaths } from '@subluminal/ipc';
import { dataOf, withGateway } from './door.js';
import { attempt } from '../program/attempt.js';

const STOP_TIMEOUT_MS = 30_000;
/** How long one may live on whose connection broke while it was asked. */
const BROKEN_TIMEOUT_MS = 10_000;
const POLL_MS = 10;

/**
 * Stops the gateway of a home and waits until its process is gone. Runs go on, for the next gateway to find.
 * Gives the gateway's pid, undefined where none ran. Many may call this at once: a gateway that ends already
 * is waited for. A gateway that cannot record the stop ends all the same, and `tell` hears of it. Errors:
 * those of the door; `failed` where the gateway has not ended within half a minute.
 */
export async function stopGateway(
  home: HomePaths,
  now: () => number,
  tell: (remark: string) => void,
): Promise<number | undefined> {
  const gateway = await askToStop(home, now, tell);
  if (gateway === undefined) return undefined;
  if (await endsWithin(gateway, STOP_TIMEOUT_MS)) return gateway.pid;
  throw new SublError('failed', `the gateway (pid ${gateway.pid}) has not stopped yet`, {
    help: `look into \`${home.gatewayLog}\``,
  });
}

/** The process that was asked, or that ends already; undefined when there is none. */
async function askToStop(
  home: HomePaths,
  now: () => number,
  tell: (remark: string) => void,
): Promise<ProcessIdentity | undefined> {
  let gateway = servingOf(home);
  try {
    return await withGateway(home, 'operator', now, async (client) => {
      // The process is identified before it stops: afterwards its pid could be another one's.
      const pid = numberAt(dataOf(await client.request('gateway.status', {})), 'pid') ?? 0;
      gateway = processIdentity(pid);
      dataOf(await client.request('gateway.stop', {}));
      return gateway;
    });
  } catch (error) {
    // Its socket is the first that goes: somebody else told it to stop, and its process has not ended yet.
    if (isAbsence(error, home)) return gateway;
    // A socket that a crash has left, in a home whose keys are gone.
    if (isSublError(error, 'key_missing') && !(await gatewayListens(home.socket))) return gateway;
    if (isSublError(error, 'version_mismatch')) return signal(home, error);
    if (isSublError(error, 'audit_unavailable')) {
      tell('the ledger cannot be written, so its record does not have this stop: see `sub doctor`');
      return signal(home, error);
    }
    const broke = isSublError(error, 'gateway_unreachable') && gateway !== undefined;
    if (broke && (await endsWithin(gateway, BROKEN_TIMEOUT_MS))) return gateway;
    throw error;
  }
}

/** The process that serves by its own file, which nobody is stopped for. */
function servingOf(home: HomePaths): ProcessIdentity | undefined {
  const file = attempt(() => readGatewayFile(home.gatewayFile));
  return file && { pid: file.pid, start: file.start };
}

async function endsWithin(gateway: ProcessIdentity | undefined, ms: number): Promise<boolean> {
  if (gateway === undefined) return true;
  const until = performance.now() + ms;
  while (isAlive(gateway)) {
    if (performance.now() > until) return false;
    await pause(POLL_MS);
  }
  return true;
}

/**
 * A gateway that no request of ours reaches still ends as the system asks it to, and writes its last entries.
 */
function signal(home: HomePaths, error: SublError): ProcessIdentity {
  const gateway = readGatewayFile(home.gatewayFile);
  if (gateway === undefined) throw error;
  process.kill(gateway.pid, 'SIGTERM');
  return { pid: gateway.pid, start: gateway.start };
}

/** Nobody listens; or there are no keys yet and no socket either: no gateway was ever here. */
export function isAbsence(error: unknown, home: HomePaths): boolean {
  if (isSublError(error, 'gateway_unreachable')) return error.details?.['absent'] === true;
  return isSublError(error, 'key_missing') && !existsSync(home.socket);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
