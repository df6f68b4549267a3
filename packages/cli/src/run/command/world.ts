import { isSublError, type JsonValue, type Ticket } from '@subluminal/core-types';
import { openWorld, worldEnvironment } from '@subluminal/worlds';
import { dataOf, withGateway } from '../../gateway/door.js';
import type { Call } from '../../program/call.js';
import { type ChildResult, runChild } from '../child.js';
import type { WorldFlags } from './flags.js';

const HANDED: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];
/** A terminal sends these to the command itself. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/** A command of a run, and the world that it is to live in. */
export interface WorldCommand {
  readonly ticket: Ticket;
  readonly command: readonly [string, ...string[]];
  /** The labels of the run. */
  readonly variables: Readonly<Record<string, string>>;
  readonly flags: WorldFlags;
  readonly onTerminal: boolean;
  readonly stdoutToStderr: boolean;
}

/** Runs the command in a world, which ends with it. Errors: those of `openWorld` and `runChild`. */
export async function runInWorld(call: Call, given: WorldCommand): Promise<ChildResult> {
  const { ticket, command, variables, flags, onTerminal, stdoutToStderr } = given;
  const { environment, cwd, now } = call.session;
  const ask = (action: string, payload: Readonly<Record<string, unknown>>): Promise<JsonValue> =>
    withGateway(call.home, ticket.credential, now, async (client) =>
      dataOf(await client.request(action, payload)),
    );
  const { id, launch } = await openWorld(ask, {
    server: undefined,
    command,
    env: { ...worldEnvironment(environment.all, flags.pass), ...variables },
    cwd,
    read: flags.read,
    write: flags.write,
    gatewayHome: call.home.home,
    signals: onTerminal ? HANDED : [...HANDED, ...FROM_TERMINAL],
  });
  try {
    return await runChild({ ...launch, onTerminal, stdoutToStderr });
  } finally {
    await ask('world.close', { world_id: id }).catch((error: unknown) => {
      // Its network goes with the run, too.
      if (!isSublError(error)) throw error;
    });
  }
}
