import { type Decision, type Severity, SublError } from '@subluminal/core-types';

/** What guardrails decide, and what observe mode makes of the same. */
export interface Verdict {
  readonly decision: Decision;
  readonly observed: Decision;
}

/** What a verdict is made from. */
export interface VerdictParts {
  readonly action: 'ALLOW' | 'BLOCK';
  readonly rule_id: string | null;
  readonly severity: Severity;
  readonly reason_code: string;
  readonly summary: string;
}

/** A verdict with both of its decisions, frozen: it is shared by all calls that a rule decides. */
export function verdict(parts: VerdictParts): Verdict {
  const decision: Decision = Object.freeze({ ...parts, action: checkedAction(parts.action) });
  return Object.freeze({ decision, observed: decision.action === 'ALLOW' ? decision : observed(decision) });
}

/** What a caller enforces when no policy applies to an identity: a block, in every mode. */
export function decideNoPolicy(): Decision {
  return {
    action: 'BLOCK',
    rule_id: null,
    severity: 'critical',
    reason_code: 'NO_POLICY_APPLIES',
    summary: 'no policy applies to this agent',
  };
}

/** The verdict when no rule decides a call. */
export function noMatchVerdict(action: 'ALLOW' | 'BLOCK'): Verdict {
  if (checkedAction(action) === 'ALLOW') {
    const summary = 'no rule matches; the policy allows what no rule matches';
    return verdict({ action, rule_id: null, severity: 'info', reason_code: 'NO_MATCH_ALLOWED', summary });
  }
  const summary = 'no rule matches; the policy blocks what no rule matches';
  return verdict({ action, rule_id: null, severity: 'warn', reason_code: 'NO_MATCH_BLOCKED', summary });
}

/** The verdict when a rule failed while it was evaluated. */
export function ruleErrorVerdict(action: 'ALLOW' | 'BLOCK', ruleId: string): Verdict {
  const summary = `rule \`${ruleId}\` failed; the policy ${action === 'ALLOW' ? 'allows' : 'blocks'} on errors`;
  return verdict({ action, rule_id: ruleId, severity: 'critical', reason_code: 'RULE_ERROR', summary });
}

/** Which of the two decisions a mode enforces. `policy_invalid` for a mode that is none. */
export function enforced(mode: 'observe' | 'guardrails', { decision, observed: shadow }: Verdict): Decision {
  switch (mode) {
    case 'guardrails':
      return decision;
    case 'observe':
      return shadow;
    default:
      throw unknownWord('mode', mode);
  }
}

/** For a word that no type allows, so that it came past the compiler: nothing may follow from it. */
export function unknownWord(what: string, word: never): SublError {
  return new SublError('policy_invalid', `\`${String(word)}\` is no ${what} of a policy snapshot`);
}

function checkedAction(action: 'ALLOW' | 'BLOCK'): 'ALLOW' | 'BLOCK' {
  switch (action) {
    case 'ALLOW':
    case 'BLOCK':
      return action;
    default:
      throw unknownWord('action', action);
  }
}

function observed(decision: Decision): Decision {
  return Object.freeze({
    ...decision,
    action: 'ALLOW',
    summary: `observe: would have blocked: ${decision.summary}`,
  });
}
