import type { Call } from './call.js';
import { refuse, type Refusal } from './reply.js';
import type { Passed } from './steps.js';
import { panicked } from './stopped.js';

/**
 * Counts the request among those that its run has under way, as long as the run lives and has room for it.
 */
export function enterRun(call: Call): Passed | Refusal {
  const { run } = call.caller;
  if (run === undefined) return 'pass';
  const entered = run.enter();
  if (entered === 'ended') {
    if (run.isStopped) return panicked();
    return run.limits.isTerminated ? terminated() : refuse('run_ended', 'the run has ended');
  }
  if (entered === 'overloaded') return refuse('overloaded', 'too many requests of this run are under way');
  call.atEnd(() => run.leave());
  return 'pass';
}

/** The refusal of what a run asks for after a rule has ended it. */
export function terminated(): Refusal {
  return refuse('run_terminated', 'a rule has ended the run');
}
