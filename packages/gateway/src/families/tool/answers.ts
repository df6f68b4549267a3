import type { Decision, ErrorCode, JsonObject } from '@subluminal/core-types';
import type { PipelineCall } from '../../pipeline/call.js';
import type { Refusal } from '../../pipeline/reply.js';
import { decisionData, type Verdict } from '../../policy/judge.js';
import { policyData } from './entries.js';

const CODES: Readonly<Record<Exclude<Decision['action'], 'ALLOW'>, ErrorCode>> = {
  BLOCK: 'policy_blocked',
  THROTTLE: 'policy_throttled',
  REJECT_WITH_HINT: 'policy_hinted',
  TERMINATE_RUN: 'run_terminated',
};

/** What a shim hears of a call that may not be made. */
export function refusalOf(call: PipelineCall, argsHash: string, verdict: Verdict): Refusal {
  const { action, backoff_ms: retryAfter, summary } = verdict.effective;
  if (action === 'ALLOW') throw new Error('a call that is allowed was refused');
  return {
    status: action === 'THROTTLE' ? 'rate_limited' : 'error',
    error: {
      code: CODES[action],
      message: summary,
      ...(retryAfter === undefined ? {} : { details: { retry_after_ms: retryAfter } }),
    },
    data: answerOf(call, argsHash, verdict),
  };
}

/** What a shim hears of a call that it may make, and how long that may take. */
export function allowanceOf(
  call: PipelineCall,
  { argsHash }: { readonly argsHash: string },
  verdict: Verdict,
  timeoutMs: number | undefined,
): JsonObject {
  const answer = answerOf(call, argsHash, verdict);
  return timeoutMs === undefined ? answer : { ...answer, timeout_ms: timeoutMs };
}

/** What a shim hears of the decision on its call. */
function answerOf(call: PipelineCall, argsHash: string, verdict: Verdict): JsonObject {
  return {
    args_hash: argsHash,
    decision: decisionData(verdict.effective),
    policy: policyData(verdict.policy),
    seq: call.callSeq,
  };
}
