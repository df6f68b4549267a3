import { isSublError } from '@subluminal/core-types';
import type { Clock } from '../base/clock.js';
import type { LateResults } from '../recording/late-results.js';
import { auditRef, type Recorder } from '../recording/recorder.js';
import type { Call } from './call.js';
import { resultEntry } from './entries.js';
import { refuse, type Outcome, type Refusal } from './reply.js';
import type { Stage, StageResult } from './stage.js';
import type { Steps } from './steps.js';

export interface ResultParts {
  readonly recorder: Recorder;
  readonly late: Pick<LateResults, 'add'>;
  readonly clock: Clock;
}

/**
 * Stage 8: what became of a pending action is recorded before it is answered. A redirect is the result of one
 * action and the beginning of another one, which is decided from stage 3 on.
 */
export function resultStage(parts: ResultParts): Stage {
  return {
    name: 'audit-result',
    run(call, steps) {
      const { outcome, pendingSeq } = call;
      if (outcome === undefined) throw new Error('the last stage ran without an outcome');
      if (pendingSeq === undefined || steps.result !== 'now') return 'pass';
      return conclude(parts, call, steps, outcome, pendingSeq);
    },
  };
}

async function conclude(
  parts: ResultParts,
  call: Call,
  steps: Steps,
  outcome: Outcome,
  pendingSeq: number,
): Promise<StageResult> {
  const failed = await record(parts, call, outcome, pendingSeq);
  return failed ?? steps.concluded(outcome);
}

async function record(
  parts: ResultParts,
  call: Call,
  outcome: Outcome,
  pendingSeq: number,
): Promise<Refusal | undefined> {
  const entry = resultEntry(call, outcome, pendingSeq, parts.clock());
  const settled = (): boolean | undefined => call.caller.run?.openPendings.delete(pendingSeq);
  try {
    const result = await parts.recorder.append({ entries: [entry] });
    // Its run ended meanwhile and closed the pending entry as interrupted: that stands.
    if (!result.ok) return refuse('interrupted', 'the action was cut off when its run ended');
    settled();
    call.auditRef = auditRef(result.entries[0]);
    return undefined;
  } catch (error) {
    if (!isSublError(error)) throw error;
    parts.late.add(pendingSeq, entry, settled);
    // The effect may have happened and is not recorded: the client must not take this for a clean failure.
    return refuse('in_doubt', 'the action was executed, but its outcome could not be recorded', {
      details: { status: outcome.status, reason: error.code },
    });
  }
}
