import { isNewer, SublError } from '@subluminal/core-types';
import { readGatewayFile, type HomePaths } from '@subluminal/ipc';
import { readSettings } from '../home/settings.js';
import type { Call } from '../program/call.js';
import { VERSION } from '../program/version.js';
import { rehearseStart } from './rehearse.js';
import { ensureGateway } from './start.js';
import { stopGateway } from './stop.js';
import { attempt } from '../program/attempt.js';

/** The gateway that was replaced. */
export interface Replaced {
  /** Of the gateway that ran; null where none did. */
  readonly pid: number | null;
  readonly version: string | null;
}

/**
 * Puts a gateway of this version in the place of the one that runs. Runs go on: the next one finds them, and
 * their shims connect again. Errors: `not_available` where a newer version serves the home, `config_invalid`
 * or one of a policy where the next one would not start (the one that runs goes on then), and those of
 * stopping and starting.
 */
export async function replaceGateway(call: Call): Promise<Replaced> {
  const { home, session } = call;
  const version = runningVersion(home);
  if (version !== undefined && isNewer(version, VERSION)) {
    throw new SublError(
      'not_available',
      `the gateway is version ${version}, and this is the older ${VERSION}`,
      {
        help: 'use the newer version: what it has written an older one may not read',
      },
    );
  }
  readSettings(home);
  await rehearseStart(call);
  const pid = (await stopGateway(home, session.now, (remark) => call.output.note(remark))) ?? null;
  await ensureGateway(call, 'asked');
  return { pid, version: pid === null ? null : (version ?? null) };
}

/** The version of the gateway that runs, by its own file; undefined where none does, or it cannot be read. */
function runningVersion(home: HomePaths): string | undefined {
  return attempt(() => readGatewayFile(home.gatewayFile))?.version;
}
