import type { Panic } from '../panic/panic.js';
import { refuse, type Refusal } from './reply.js';
import type { Stage } from './stage.js';

/**
 * Between signature and allowlist: while the operator has stopped everything no run begins, and no call and
 * no action is taken up. Whatever is under way may still say how it ended, and the operator is served.
 */
export function stoppedStage(panic: Pick<Panic, 'current'>): Stage {
  return {
    name: 'stopped',
    run: (_call, { whenStopped }) =>
      panic.current === undefined || whenStopped === 'served' ? 'pass' : panicked(),
  };
}

/** The refusal of everything that is asked for meanwhile. */
export function panicked(): Refusal {
  return refuse('panicked', 'everything is stopped: the operator decided so');
}
