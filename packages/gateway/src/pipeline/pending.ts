import { isSublError } from '@subluminal/core-types';
import type { AppendGroup, Ledger } from '@subluminal/ledger';
import type { Grants } from '../approvals/port.js';
import { auditRef, type Recorder } from '../recording/recorder.js';
import type { Call } from './call.js';
import { recordedOutcome } from './recorded-outcome.js';
import { refuse, refuseFor } from './reply.js';
import type { Stage, StageResult } from './stage.js';
import type { RecordedSteps, Steps } from './steps.js';

/**
 * Entries that may wait for a commit before runs are told to come back: three quarters of the ledger's queue.
 * The ledger itself keeps beginnings of effects out of its last quarter; this keeps out whatever a run can
 * ask for again.
 */
const MAX_WAITING = 6144;

export interface PendingParts {
  readonly ledger: Pick<Ledger, 'seenOutcome' | 'queueDepth'>;
  readonly recorder: Recorder;
  readonly approvals: Pick<Grants, 'markUsed'>;
}

/**
 * Stage 6: what is about to happen is durable before it happens. The same commit claims the request id for
 * its run and spends the grant, so that neither a resend nor two requests at once get a second effect. Reads
 * change nothing and are not recorded.
 */
export function pendingStage(parts: PendingParts): Stage {
  return {
    name: 'audit-pending',
    run(call, steps) {
      // A request that is decided again has its entry already.
      if (call.pendingSeq !== undefined || steps.record === 'nothing') return 'pass';
      return record(parts, call, steps);
    },
  };
}

async function record(parts: PendingParts, call: Call, steps: RecordedSteps): Promise<StageResult> {
  if (!hasRoom(parts, call, steps))
    return refuse('overloaded', 'too much is waiting to be recorded; try again later');
  try {
    const entries = steps.record();
    if (entries === 'own') return 'pass';
    if ('error' in entries) {
      if (steps.result !== 'none') return entries;
      // A resent request finds its call closed, by itself.
      const seen = call.hops === 0 ? await parts.ledger.seenOutcome(call.runId, call.requestId) : null;
      return seen === null ? entries : recordedOutcome(seen);
    }
    const group: AppendGroup =
      call.hops === 0 ? { entries, seen: { runId: call.runId, id: call.requestId } } : { entries };
    const result = await parts.recorder.append(group);
    if (!result.ok) {
      if (result.conflict === 'seen')
        return recordedOutcome(await parts.ledger.seenOutcome(call.runId, call.requestId));
      return call.grant === undefined
        ? refuse('replayed', 'the outcome of this call was reported before')
        : refuse('approval_used', 'the approval was used before');
    }
    const last = result.entries.at(-1);
    call.auditRef = auditRef(last);
    call.pendingSeq = last?.seq;
    confirm(parts, call, steps);
    return 'pass';
  } catch (error) {
    if (isSublError(error)) return refuseFor(error);
    throw error;
  }
}

/** The end of what was allowed is always taken, and the operator is heard however much the runs ask for. */
function hasRoom({ ledger }: PendingParts, { caller }: Call, { whenFull }: Steps): boolean {
  return caller.kind === 'operator' || whenFull === 'served' || ledger.queueDepth < MAX_WAITING;
}

/** The grant is spent, and the run has something under way. */
function confirm({ approvals }: PendingParts, call: Call, steps: RecordedSteps): void {
  const { run } = call.caller;
  if (steps.result !== 'none' && run !== undefined && call.pendingSeq !== undefined)
    run.openPendings.set(call.pendingSeq, { action: call.read.action, requestId: call.requestId });
  if (call.grant !== undefined) approvals.markUsed(call.grant.approvalId);
  steps.recorded();
}
