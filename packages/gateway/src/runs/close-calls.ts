import { unreportedEndEntry } from './unreported-end.js';
import type { Clock } from '../base/clock.js';
import type { Recorder } from '../recording/recorder.js';
import type { Run } from './run.js';

/** What closing needs. */
export interface CloseCallParts {
  readonly recorder: Recorder;
  readonly clock: Clock;
}

/**
 * Closes the open calls of a shim whose server is gone: nobody will report their end any more. An end that
 * was reported meanwhile stands. Errors of the recorder.
 */
export async function closeShimCalls(
  { recorder, clock }: CloseCallParts,
  run: Run,
  shimId: string,
  message: string,
): Promise<void> {
  const now = clock();
  const open = [...run.openCalls.values()].filter((call) => call.shimId === shimId);
  await Promise.all(
    open.map(async (call) => {
      const result = await recorder.append({ entries: [unreportedEndEntry(run.id, call, now, message)] });
      run.openCalls.delete(call.callId);
      run.limits.settle(call, { status: 'ERROR', latency_ms: Math.max(0, now - call.startedMs) }, now);
      if (result.ok) run.counters.errors_total += 1;
    }),
  );
}
