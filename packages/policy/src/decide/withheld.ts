import type { Decision } from '@subluminal/core-types';
import type { DecideResult } from './decide.js';

/** The reason by which a call of a held tool is refused. No rule says it. */
export const TOOL_HELD = 'TOOL_HELD';

/**
 * What becomes of a decision when the tool is held: nothing is allowed, in whatever mode the policy is. What the policy
 * refuses by itself stays its refusal. Limits are charged as for every decided call; a dedupe remembers only what was allowed.
 */
export function withheld<R extends DecideResult>(
  decided: R,
  held: { readonly summary: string } | undefined,
): R {
  if (held === undefined || decided.effective.action !== 'ALLOW') return decided;
  const refused: Decision = {
    action: 'BLOCK',
    rule_id: null,
    severity: 'critical',
    reason_code: TOOL_HELD,
    summary: held.summary,
  };
  return {
    ...decided,
    decision: refused,
    effective: refused,
    charge: decided.charge.filter(({ kind }) => kind !== 'dedupe'),
  };
}
