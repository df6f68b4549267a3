import { isSublError, type ProcessIdentity } from '@subluminal/core-types';
import { type HomePaths, isAlive, runAround } from '@subluminal/ipc';

const UNKNOWN = 'it cannot be told which process brings this command';
const INSIDE = 'inside of a run a command has a world of its own: `sub world exec` makes it';

/**
 * Why a command that this process has brought may not run in the world of its operator; undefined if it may:
 * a command of a run is for the rules of that run. `own` is the run that the world is in.
 */
export function askerProblem(home: HomePaths, asker: ProcessIdentity, own: string): string | undefined {
  try {
    const run = runAround(home, asker);
    // Not before: its number could have become another process's meanwhile.
    if (!isAlive(asker)) return UNKNOWN;
    return run === undefined || run === own ? undefined : INSIDE;
  } catch (error) {
    if (!isSublError(error)) throw error;
    return UNKNOWN;
  }
}
