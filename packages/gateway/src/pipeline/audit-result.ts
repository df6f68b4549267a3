import { canonicalize, isSublError, type ActionDefinition, type GatewayConfig } from '@subluminal/core-types';
import { readOf } from '../families/service/effects.js';
import type { AnomalyDetector } from '../anomaly/detector.js';
import type { Clock } from '../base/clock.js';
import { resultEntry } from './entries.js';
import type { LateResults } from '../recording/late-results.js';
import { auditRef, type Recorder } from '../recording/recorder.js';
import type { PipelineCall } from './call.js';
import { refuse, type Outcome } from './reply.js';
import type { Stage, StageResult } from './stage.js';

/** What the stage writes with. */
export interface AuditResultParts {
  readonly recorder: Recorder;
  readonly late: Pick<LateResults, 'add'>;
  readonly clock: Clock;
  readonly egress: () => Pick<GatewayConfig['egress'], 'max_redirects'>;
  readonly detector: Pick<AnomalyDetector, 'read'>;
}

/** The result of these is another request, or none. */
const RESULTS_LATER: ReadonlySet<ActionDefinition['family']> = new Set<ActionDefinition['family']>([
  'life',
  'tool',
  'net',
]);

/**
 * Stage 8: what became of a pending action is recorded before it is answered. A redirect is the result of one action
 * and the beginning of another one, which is decided from the allowlist on.
 */
export function auditResultStage(parts: AuditResultParts): Stage {
  return {
    name: 'audit-result',
    run(call) {
      const outcome = call.outcome ?? outcomeOf(parts, call);
      const { family } = call.read.definition;
      if (call.pendingSeq === undefined || RESULTS_LATER.has(family)) return keep(call, outcome);
      return conclude(parts, call, outcome, call.pendingSeq);
    },
  };
}

async function conclude(
  parts: AuditResultParts,
  call: PipelineCall,
  outcome: Outcome,
  pendingSeq: number,
): Promise<StageResult> {
  const next = call.service?.kind === 'redirect' ? call.service.next : undefined;
  const failed = await record(parts, call, outcome, pendingSeq);
  if (failed !== undefined) return failed;
  if (next === undefined || outcome.status !== 'success') return keep(call, outcome);
  call.redirect(next, canonicalize(next));
  return 'again';
}

async function record(
  parts: AuditResultParts,
  call: PipelineCall,
  outcome: Outcome,
  pendingSeq: number,
): Promise<StageResult | undefined> {
  const entry = resultEntry(call, outcome, pendingSeq, parts.clock());
  try {
    const result = await parts.recorder.append({ entries: [entry] });
    // Its run ended meanwhile and closed the pending entry as interrupted: that stands.
    if (!result.ok) return refuse('interrupted', 'the action was cut off when its run ended');
    call.caller.run?.openPendings.delete(pendingSeq);
    call.auditRef = auditRef(result.entries[0]);
    if (outcome.status === 'success') noteRead(parts, call);
    return undefined;
  } catch (error) {
    if (!isSublError(error)) throw error;
    parts.late.add(pendingSeq, entry, () => call.caller.run?.openPendings.delete(pendingSeq));
    // The effect may have happened and is not recorded: the client must not take this for a clean failure.
    return refuse('in_doubt', 'the action was executed, but its outcome could not be recorded', {
      details: { status: outcome.status, reason: error.code },
    });
  }
}

/** A run that has read something may send it on. */
function noteRead({ detector }: AuditResultParts, call: PipelineCall): void {
  const { run } = call.caller;
  const what = call.service?.kind === 'success' ? readOf(call.read.action) : undefined;
  if (run === undefined || what === undefined) return;
  const { action } = call.read;
  const place = call.decided?.destination?.host;
  // Mail and calendars are others' words, wherever they lie.
  const isMailbox = what.private;
  const named = isMailbox || place === undefined ? action : `${action} of \`${place}\``;
  detector.read(run, { ...what, what: named, place: isMailbox ? undefined : place, ref: call.auditRef });
}

function outcomeOf(parts: AuditResultParts, call: PipelineCall): Outcome {
  const { service } = call;
  switch (service?.kind) {
    case 'success':
      return { status: 'success', data: service.data };
    case 'error': {
      const { code, message, help, data } = service;
      const error = { code, message, ...(help === undefined ? {} : { help }) };
      return { status: 'error', error, ...(data === undefined ? {} : { data }) };
    }
    case 'redirect':
      if (call.hops < parts.egress().max_redirects)
        return { status: 'success', data: { status: service.status } };
      return {
        status: 'error',
        error: {
          code: 'too_many_redirects',
          message: `the service redirected more than ${parts.egress().max_redirects} times`,
        },
      };
    case undefined:
      throw new Error('the last stage ran without an outcome');
  }
}

function keep(call: PipelineCall, outcome: Outcome): 'pass' {
  call.outcome = outcome;
  return 'pass';
}
