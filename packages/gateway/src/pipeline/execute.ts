import { isSublError } from '@subluminal/core-types';
import type { Call } from './call.js';
import { refuse, refuseFor } from './reply.js';
import type { Stage, StageResult } from './stage.js';
import type { Executed } from './steps.js';

/** How often a request may be decided again before it is told to come back. */
const MAX_RESTARTS = 3;

/** Stage 7: what was decided is done, exactly as it was decided. */
export const executeStage: Stage = {
  name: 'execute',
  run(call, steps) {
    try {
      const given = steps.execute();
      // Awaiting a plain value would cost every call a turn of the event loop's queue.
      if (given instanceof Promise)
        return given.then(
          (executed) => taken(call, executed),
          (error: unknown) => failed(error),
        );
      return taken(call, given);
    } catch (error) {
      return failed(error);
    }
  },
};

function taken(call: Call, executed: Executed): StageResult {
  if (executed === 'again') {
    call.restarts += 1;
    return call.restarts > MAX_RESTARTS ? refuse('overloaded', 'the allowlist keeps changing') : 'again';
  }
  call.outcome = executed;
  return 'pass';
}

function failed(error: unknown): StageResult {
  if (isSublError(error)) return refuseFor(error);
  throw error;
}
