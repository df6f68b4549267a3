import type { Stage } from './stage.js';

/** Stage 4: the windows and places that bound what callers may have at once. One entry is counted once. */
export const admitStage: Stage = {
  name: 'rate-limit',
  run: (call, steps) => (call.pendingSeq === undefined ? steps.admit() : 'pass'),
};
