import { isSublError } from '@subluminal/core-types';
import type { Grants } from '../approvals/port.js';
import type { Call } from './call.js';
import { refuseFor, type Refusal } from './reply.js';
import type { Stage } from './stage.js';
import type { Steps } from './steps.js';

/**
 * Stage 5: unusual requests are flagged, and where that is configured they need the operator's approval. The
 * answer comes at once; a grant lets exactly this payload of this caller pass once. A grant satisfies this
 * stage only.
 */
export function anomalyStage(approvals: Grants): Stage {
  return {
    name: 'anomaly',
    run(call, steps) {
      if (call.pendingSeq !== undefined) return 'pass';
      const found = steps.unusual();
      if (found.length === 0) return 'pass';
      call.flags = [...call.flags, ...found];
      if (!found.some((flag) => flag.reaction === 'approve')) return 'pass';
      const { action } = call.read;
      const subject = { client: call.caller.source, action, payloadHash: call.payloadHash };
      call.grant = approvals.findGrant(subject);
      return call.grant === undefined ? askOperator(approvals, call, steps, subject) : 'pass';
    },
  };
}

function askOperator(
  approvals: Grants,
  call: Call,
  steps: Steps,
  subject: { readonly client: string; readonly action: string; readonly payloadHash: string },
): Refusal {
  const reasons = call.flags.filter((flag) => flag.reaction === 'approve').map((flag) => flag.summary);
  const { place } = steps;
  const summary = `${subject.action}${place === undefined ? '' : ` to ${place}`}: ${reasons.join('; ')}`;
  try {
    const request = approvals.request({ ...subject, summary, destination: place, flags: call.flags });
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
