import type { Panic } from '../panic/panic.js';
import { refuse, type Refusal } from './reply.js';
import type { Stage } from './stage.js';

/**
 * Between signature and allowlist: while the operator has stopped everything no run begins, and no call and no action is
 * taken up. What is under way may still say how it ended, and the operator is served.
 */
export function stoppedStage(panic: Pick<Panic, 'current'>): Stage {
  return {
    name: 'stopped',
    run(call) {
      if (panic.current === undefined) return 'pass';
      const { action, definition } = call.read;
      if (definition.family === 'operate' || definition.family === 'read') return 'pass';
      if (STILL_TAKEN.has(action)) return 'pass';
      return panicked();
    },
  };
}

/** What is refused meanwhile is told this. */
export function panicked(): Refusal {
  return refuse('panicked', 'everything is stopped: the operator decided so');
}

const STILL_TAKEN: ReadonlySet<string> = new Set([
  'panic.begin',
  'run.end',
  'verb.refused',
  'tool.call.end',
  'upstream.end',
  'net.end',
  'message.dropped',
  'spool.ingest',
]);
