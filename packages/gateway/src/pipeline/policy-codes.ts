import type { Decision, ErrorCode } from '@subluminal/core-types';

/** The error with which a call is answered that the policy refuses. */
export const POLICY_CODES: Readonly<Record<Exclude<Decision['action'], 'ALLOW'>, ErrorCode>> = {
  BLOCK: 'policy_blocked',
  THROTTLE: 'policy_throttled',
  REJECT_WITH_HINT: 'policy_hinted',
  TERMINATE_RUN: 'run_terminated',
};
