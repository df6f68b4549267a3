import { isSublError } from '@subluminal/core-types';
import type { AnomalyDetector } from '../anomaly/detector.js';
import { sendOf } from '../families/service/effects.js';
import type { Approvals } from '../approvals/approvals.js';
import type { PipelineCall } from './call.js';
import { refuseFor, type Refusal } from './reply.js';
import type { Stage } from './stage.js';

/** What the stage asks. */
export interface AnomalyParts {
  readonly detector: AnomalyDetector;
  readonly approvals: Approvals;
}

/**
 * Stage 5: unusual requests are flagged, and where that is configured they need the operator's approval. The answer
 * comes at once; a grant lets exactly this payload of this caller pass once. A grant satisfies this stage only.
 * Connections are never held up here: what opens them cannot wait for anybody.
 */
export function anomalyStage(parts: AnomalyParts): Stage {
  return {
    name: 'anomaly',
    run(call) {
      if (call.counted) return 'pass';
      if (call.read.action === 'net.connect') {
        call.counted = true;
        const destination = call.decided?.destination;
        const { run } = call.caller;
        if (destination !== undefined && run !== undefined)
          call.flags = [...call.flags, ...parts.detector.inspectConnection(run, destination)];
        return 'pass';
      }
      if (call.read.definition.family !== 'service') return 'pass';
      call.counted = true;
      call.flags = parts.detector.inspect({
        client: call.caller.source,
        run: call.caller.run,
        action: call.read.action,
        destination: call.decided?.destination,
        payloadBytes: Buffer.byteLength(call.read.payloadCanonical),
        sends: sendOf(call),
      });
      if (!call.flags.some((flag) => flag.reaction === 'approve')) return 'pass';
      const { action } = call.read;
      const subject = { client: call.caller.source, action, payloadHash: call.payloadHash };
      call.grant = parts.approvals.findGrant(subject);
      return call.grant === undefined ? askOperator(parts.approvals, call, subject) : 'pass';
    },
  };
}

function askOperator(
  approvals: Approvals,
  call: PipelineCall,
  subject: { readonly client: string; readonly action: string; readonly payloadHash: string },
): Refusal {
  const reasons = call.flags.filter((flag) => flag.reaction === 'approve').map((flag) => flag.summary);
  const where = call.decided?.destination?.origin;
  const summary = `${subject.action}${where === undefined ? '' : ` to ${where}`}: ${reasons.join('; ')}`;
  try {
    const request = approvals.request({ ...subject, summary, destination: where, flags: call.flags });
    const state = request.state === 'denied' ? 'was denied' : 'waits for an approval';
    return {
      status: 'requires_approval',
      error: {
        code: 'requires_approval',
        message: `the action ${state}: ${reasons.join('; ')}`,
        details: {
          approval_id: request.id,
          payload_hash: subject.payloadHash,
          expires_at: request.expires_at,
        },
      },
    };
  } catch (error) {
    if (isSublError(error)) return refuseFor(error);
    throw error;
  }
}
