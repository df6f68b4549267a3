import type { Decision, JsonObject } from '@subluminal/core-types';
import { shownHint } from '../recording/shown-hint.js';

/** A decision as JSON, as answers carry it. */
export function decisionData(decision: Decision): JsonObject {
  const { action, rule_id, severity, reason_code, summary } = decision;
  return withExtras({ action, reason_code, rule_id, severity, summary }, decision);
}

/** A decision as its ledger entry holds it. */
export function decisionEntryData(decision: Decision): JsonObject {
  const { action, rule_id, severity, reason_code, summary, hint } = decision;
  const shown = hint === undefined ? decision : { ...decision, hint: shownHint(hint) };
  return withExtras({ action, explain: { reason_code, summary }, rule_id, severity }, shown);
}

function withExtras(
  data: JsonObject,
  { backoff_ms: backoff, retry_advice: advice, hint, terminate }: Decision,
): JsonObject {
  if (backoff === undefined && hint === undefined && terminate === undefined) return data;
  return {
    ...data,
    ...(backoff === undefined ? {} : { backoff_ms: backoff }),
    ...(advice === undefined ? {} : { retry_advice: advice }),
    ...(hint === undefined ? {} : { hint }),
    ...(terminate === undefined ? {} : { terminate }),
  };
}
