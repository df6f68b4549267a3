import type { PolicyMode } from '../snapshot/plain.js';
import type { CompiledAsk } from '../snapshot/rule.js';
import { type Answer, enforced, enforcedRefusal, verdict } from './verdict.js';

/** The reason of a call that a person has to agree to. */
export const APPROVAL_REQUIRED = 'APPROVAL_REQUIRED';

const ADVICE = 'make the same call again once a person has answered';

/**
 * A mode's answer to a call that a rule asks about: in control a question, where somebody can be asked; else
 * a block; in observe the record that somebody would have been asked.
 */
export function askAnswer(
  mode: PolicyMode,
  { rule_id, severity, summary, instead }: Pick<CompiledAsk, 'instead' | 'rule_id' | 'severity' | 'summary'>,
  canAsk: boolean,
): Answer {
  const parts = { rule_id, severity, reason_code: APPROVAL_REQUIRED };
  if (mode === 'observe') {
    const blocked = verdict({ action: 'BLOCK', ...parts, summary });
    const told = `observe: would have asked: ${summary}`;
    return { decision: blocked.decision, effective: { ...blocked.observed, summary: told } };
  }
  if (mode !== 'control' || !canAsk)
    return enforced(
      mode,
      verdict({ action: 'BLOCK', ...parts, summary: `${summary}; nobody can be asked here` }),
    );
  const hint_text = instead === undefined ? ADVICE : `${ADVICE}; or do without it: ${instead}`;
  const hint = { hint_text, suggested_args: null, retry_advice: null, hint_kind: 'SAFETY' } as const;
  return enforcedRefusal(mode, { action: 'REJECT_WITH_HINT', ...parts, summary, hint });
}
