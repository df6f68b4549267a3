import { type Decision, type Severity, SublError } from '@subluminal/core-types';
import type { PolicyMode } from '../snapshot/plain.js';

/** The decision of guardrails, and of observe mode on the same. */
export interface Verdict {
  readonly decision: Decision;
  readonly observed: Decision;
}

/** The parts of a verdict. */
export interface VerdictParts {
  readonly action: 'ALLOW' | 'BLOCK';
  readonly rule_id: string | null;
  readonly severity: Severity;
  readonly reason_code: string;
  readonly summary: string;
}

/** The decision, and the part of it that is enforced. */
export interface Answer {
  readonly decision: Decision;
  readonly effective: Decision;
}

/** A verdict with both of its decisions, frozen: it is shared by all calls that a rule decides. */
export function verdict(parts: VerdictParts): Verdict {
  const decision: Decision = Object.freeze({ ...parts, action: checkedAction(parts.action) });
  return Object.freeze({ decision, observed: decision.action === 'ALLOW' ? decision : observed(decision) });
}

/** The verdict for an identity that no policy applies to: a block, in every mode. */
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

/** The verdict on a call that a waiver lets pass. */
export function waivedVerdict(ruleId: string): Verdict {
  const summary = `rule \`${ruleId}\` is waived for this call`;
  return verdict({ action: 'ALLOW', rule_id: ruleId, severity: 'info', reason_code: 'WAIVED', summary });
}

/** A mode's form of a verdict that is an allow or a block. `policy_invalid` for a mode that is none. */
export function enforced(mode: PolicyMode, { decision, observed: shadow }: Verdict): Answer {
  switch (mode) {
    case 'guardrails':
    case 'control':
      return { decision, effective: decision };
    case 'observe':
      return { decision, effective: shadow };
    default:
      throw unknownWord('mode', mode);
  }
}

/**
 * A mode's form of any refusal. Hints belong to control: elsewhere a refusal with one is a plain block.
 */
export function enforcedRefusal(mode: PolicyMode, decision: Decision): Answer {
  if (mode === 'control') return { decision, effective: decision };
  const { hint, ...rest } = decision;
  return enforced(mode, hinted(rest, hint === undefined));
}

function hinted(decision: Decision, asItIs: boolean): Verdict {
  const plain: Decision = asItIs ? decision : { ...decision, action: 'BLOCK' };
  return { decision: plain, observed: observed(plain) };
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

const WOULD: Readonly<Record<Decision['action'], string>> = {
  ALLOW: 'allowed',
  BLOCK: 'blocked',
  THROTTLE: 'throttled',
  REJECT_WITH_HINT: 'refused',
  TERMINATE_RUN: 'ended the run',
};

function observed({ action, rule_id, severity, reason_code, summary }: Decision): Decision {
  const told = `observe: would have ${WOULD[action]}: ${summary}`;
  return Object.freeze({ action: 'ALLOW', rule_id, severity, reason_code, summary: told });
}
