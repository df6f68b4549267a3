import type { Decision } from '@subluminal/core-types';
import { renderHint, type SchemaSource } from '../hint/render.js';
import type { PolicyCall } from '../match/call.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import type { CompiledDeny } from '../snapshot/rule.js';
import type { LimitRefusal, Refusal } from './round.js';
import { type Answer, enforced, enforcedRefusal } from './verdict.js';
import { limitWords } from './words.js';

/** A mode's answer to the first refusal of a call. */
export function refusalAnswer(
  { mode }: PolicySnapshot,
  refusal: Refusal,
  call: PolicyCall,
  schema: SchemaSource,
): Answer {
  if (refusal.by === 'error') return enforced(mode, refusal.verdict);
  if (refusal.by === 'limit') return enforcedRefusal(mode, limitDecision(refusal, call, schema));
  const { rule } = refusal;
  if (rule.hint === undefined || mode !== 'control') return enforced(mode, rule.verdict);
  return enforcedRefusal(mode, denyDecision(rule, call, schema));
}

function denyDecision(rule: CompiledDeny, call: PolicyCall, schema: SchemaSource): Decision {
  const { decision } = rule.verdict;
  const parts = { text: decision.summary, retryAdvice: null, schema };
  return { ...decision, action: 'REJECT_WITH_HINT', hint: renderHint(rule.hint ?? {}, call, parts) };
}

function limitDecision(refusal: LimitRefusal, call: PolicyCall, schema: SchemaSource): Decision {
  const { rule, reason, waitMs } = refusal;
  const { rule_id, severity } = rule;
  const words = limitWords(refusal);
  const common = { rule_id, severity, reason_code: reason, summary: words.summary };
  const action = reason === 'LIMIT_STATE_FULL' ? 'BLOCK' : rule.action;
  switch (action) {
    case 'BLOCK':
    case 'ASK':
      // No person knows either what a call costs that does not say.
      return { action: 'BLOCK', ...common };
    case 'THROTTLE': {
      // Where the tokens never come, waiting would be bad advice.
      if (waitMs === undefined) return { action: 'BLOCK', ...common };
      const backoff_ms = Math.max(rule.kind === 'rate_limit' ? rule.backoffMs : 0, waitMs);
      const retry_advice = rule.hint.retry_advice ?? `try again in ${backoff_ms} ms`;
      return { action, ...common, backoff_ms, retry_advice };
    }
    case 'TERMINATE_RUN': {
      const terminate_message = rule.terminate?.message ?? words.summary;
      return {
        action,
        ...common,
        terminate: { terminate_code: rule.terminate?.code ?? reason, terminate_message },
      };
    }
    case 'REJECT_WITH_HINT': {
      const remaining = refusal.budget?.left;
      const parts = { text: words.hint, retryAdvice: words.retryAdvice, remaining, schema };
      return { action, ...common, hint: renderHint(rule.hint, call, parts) };
    }
  }
}
