import { isSublError, type ActionName } from '@subluminal/core-types';
import type { AppendGroup, Ledger } from '@subluminal/ledger';
import type { ActionHandlers } from './handlers.js';
import { anomalyEntry, pendingEntry } from './entries.js';
import { auditRef, type Recorder } from '../recording/recorder.js';
import type { AnomalyDetector } from '../anomaly/detector.js';
import { sendOf } from '../families/service/effects.js';
import type { Approvals } from '../approvals/approvals.js';
import type { PipelineCall } from './call.js';
import { recordedOutcome } from './recorded-outcome.js';
import { refuse, refuseFor } from './reply.js';
import type { Stage, StageResult } from './stage.js';

/** Entries that may wait for a commit before runs are told to come back: three quarters of the ledger's queue. */
const MAX_WAITING = 6144;

const ENDS: ReadonlySet<ActionName> = new Set(['tool.call.end', 'upstream.end', 'run.end', 'net.end']);

/** What the stage writes with. */
export interface AuditPendingParts {
  readonly ledger: Pick<Ledger, 'seenOutcome' | 'queueDepth'>;
  readonly recorder: Recorder;
  readonly handlers: ActionHandlers;
  readonly detector: AnomalyDetector;
  readonly approvals: Approvals;
}

/**
 * Stage 6: what is about to happen is durable before it happens. The same commit claims the request id for its run and
 * spends the grant, so that neither a resend nor two requests at once get a second effect. Reads change nothing and
 * are not recorded.
 */
export function auditPendingStage(parts: AuditPendingParts): Stage {
  return {
    name: 'audit-pending',
    run(call) {
      // A request that starts again because the allowlist changed has its entry already.
      if (call.pendingSeq !== undefined || call.read.definition.family === 'read') return 'pass';
      return record(parts, call);
    },
  };
}

async function record(parts: AuditPendingParts, call: PipelineCall): Promise<StageResult> {
  if (!hasRoom(parts, call))
    return refuse('overloaded', 'too much is waiting to be recorded; try again later');
  try {
    const own = parts.handlers.entries(call);
    if (own === 'own') return 'pass';
    if (own !== undefined && 'error' in own) {
      // What is resent finds its call closed, by itself.
      const seen = call.hops === 0 ? parts.ledger.seenOutcome(call.runId, call.requestId) : null;
      return seen === null ? own : recordedOutcome(seen);
    }
    const first = own === undefined ? parts.handlers.first(call) : [];
    if ('error' in first) return first;
    const entries = own ?? [
      ...call.flags.map((flag) => anomalyEntry(call, flag)),
      ...first,
      pendingEntry(call),
    ];
    const group: AppendGroup =
      call.hops === 0 ? { entries, seen: { runId: call.runId, id: call.requestId } } : { entries };
    const result = await parts.recorder.append(group);
    if (!result.ok) {
      if (result.conflict === 'seen')
        return recordedOutcome(parts.ledger.seenOutcome(call.runId, call.requestId));
      return call.grant === undefined
        ? refuse('replayed', 'the outcome of this call was reported before')
        : refuse('approval_used', 'the approval was used before');
    }
    const last = result.entries.at(-1);
    call.auditRef = auditRef(last);
    call.pendingSeq = last?.seq;
    if (own === undefined) confirm(parts, call);
    return 'pass';
  } catch (error) {
    if (isSublError(error)) return refuseFor(error);
    throw error;
  }
}

/** The end of what was allowed is always taken, and the operator is heard however much the runs ask for. */
function hasRoom({ ledger }: AuditPendingParts, call: PipelineCall): boolean {
  return call.caller.kind === 'operator' || ENDS.has(call.read.action) || ledger.queueDepth < MAX_WAITING;
}

/** What follows from the entry: the grant is spent, the destination is known, the run has something under way. */
function confirm(parts: AuditPendingParts, call: PipelineCall): void {
  const { run } = call.caller;
  if (run !== undefined && call.pendingSeq !== undefined)
    run.openPendings.set(call.pendingSeq, { action: call.read.action, requestId: call.requestId });
  if (call.grant !== undefined) parts.approvals.markUsed(call.grant.approvalId);
  const { definition, action } = call.read;
  const isService = definition.family === 'service';
  if (!isService && action !== 'net.connect') return;
  parts.detector.confirm({
    run,
    destination: call.decided?.destination,
    flags: call.flags,
    ...(isService
      ? { payloadBytes: Buffer.byteLength(call.read.payloadCanonical), sends: sendOf(call) }
      : {}),
    ...(call.connection === undefined || call.pendingSeq === undefined
      ? {}
      : { connection: { seq: call.pendingSeq, ref: call.auditRef, listed: call.connection.listed } }),
  });
}
