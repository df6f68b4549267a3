import type { JsonObject } from '@subluminal/core-types';
import { POLICY_CODES } from '../../pipeline/policy-codes.js';
import type { Refusal } from '../../pipeline/reply.js';
import { decisionData } from '../../runs/decision-data.js';
import type { Verdict } from '../../runs/judge.js';
import { policyData } from '../../policy/policy-data.js';

/** The answer of a call that may not be made. */
export function refusalOf(argsHash: string, seq: number, verdict: Verdict): Refusal {
  const { action, backoff_ms: retryAfter, summary } = verdict.effective;
  if (action === 'ALLOW') throw new Error('a call that is allowed was refused');
  return {
    status: action === 'THROTTLE' ? 'rate_limited' : 'error',
    error: {
      code: POLICY_CODES[action],
      message: summary,
      ...(retryAfter === undefined ? {} : { details: { retry_after_ms: retryAfter } }),
    },
    data: answerOf(argsHash, seq, verdict),
  };
}

/** The answer of a call that may be made, with the time that it may take. */
export function allowanceOf(
  argsHash: string,
  seq: number,
  verdict: Verdict,
  timeoutMs: number | undefined,
): JsonObject {
  const answer = answerOf(argsHash, seq, verdict);
  return timeoutMs === undefined ? answer : { ...answer, timeout_ms: timeoutMs };
}

/** The decision, as a shim hears it. */
function answerOf(argsHash: string, seq: number, verdict: Verdict): JsonObject {
  return {
    args_hash: argsHash,
    decision: decisionData(verdict.effective),
    policy: policyData(verdict.policy),
    seq,
  };
}
