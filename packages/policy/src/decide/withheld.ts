import type { Decision } from '@subluminal/core-types';
import type { PolicyMode } from '../snapshot/plain.js';
import type { DecideResult } from './decide.js';
import { enforced, verdict } from './verdict.js';

/** The reason by which a call of a held tool is refused. No rule says it. */
export const TOOL_HELD = 'TOOL_HELD';
/** The reason by which a call of a tool is refused that its server never listed. No rule says it. */
export const UNKNOWN_TOOL = 'UNKNOWN_TOOL';

/** Why a tool may not be called, whatever rules say, and what its caller is told. */
export interface Held {
  readonly reason: typeof TOOL_HELD | typeof UNKNOWN_TOOL;
  readonly summary: string;
}

/**
 * The decision when the tool is held: nothing is allowed, in whatever mode the policy is. A tool that its
 * server never listed is refused as by a rule: where the policy observes, the call is made, and the refusal
 * that it would have had is recorded. A refusal of the policy itself stays. Limits are charged as for every
 * decided call; a dedupe remembers only allowed calls.
 */
export function withheld<R extends DecideResult>(decided: R, held: Held | undefined, mode: PolicyMode): R {
  // Nobody is asked about a call that would not be made whatever they say.
  if (held === undefined || (decided.effective.action !== 'ALLOW' && decided.asks === undefined))
    return decided;
  const { reason, summary } = held;
  const refusal = {
    action: 'BLOCK',
    rule_id: null,
    severity: 'critical',
    reason_code: reason,
    summary,
  } as const;
  if (mode === 'observe' && reason === UNKNOWN_TOOL) {
    return decided.decision.action === 'ALLOW'
      ? { ...decided, ...enforced(mode, verdict(refusal)) }
      : decided;
  }
  const refused: Decision = refusal;
  return {
    ...decided,
    decision: refused,
    effective: refused,
    asks: undefined,
    charge: decided.charge.filter(({ kind }) => kind !== 'dedupe'),
  };
}
