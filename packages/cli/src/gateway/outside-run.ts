import { SublError } from '@subluminal/core-types';
import { findTicket, type HomePaths } from '@subluminal/ipc';

/**
 * Verbs that widen what is allowed are for the operator alone: `inside_run` in any process below one that holds a
 * ticket of this home. The message names no way around: an agent reads it. The gateway refuses a run's key
 * all the same; this also stops an agent that found the operator's key file lying beside its own.
 */
export function assertOutsideRun(home: HomePaths): void {
  if (findTicket(home) === undefined) return;
  throw new SublError('inside_run', 'this command is refused inside a run', {
    help: 'only the operator can decide this, outside of the run',
  });
}
