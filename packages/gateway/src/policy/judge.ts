import type { Decision, JsonObject, PolicyRef, ToolCallBeginPayload } from '@subluminal/core-types';
import { decide, policyRef, type PolicySnapshot } from '@subluminal/policy';
import type { Run } from '../runs/run.js';
import type { PolicyHolder } from './holder.js';

/** The policy's answer to one call. */
export interface Verdict {
  /** What is enforced and recorded. */
  readonly effective: Decision;
  /** What the rules say; differs from `effective` in observe mode only. */
  readonly ruled: Decision;
  readonly tags: readonly string[];
  readonly policy: PolicyRef;
  /** What decided. Another one that is loaded meanwhile has to be asked too. */
  readonly snapshot: PolicySnapshot;
}

/**
 * Asks the policy that is loaded now. Who asks is what the run was opened with, not what the call says. A call is
 * charged by its first decision only: pass `again` for one that was decided before.
 */
export function judgeCall(
  holder: PolicyHolder,
  run: Run,
  payload: ToolCallBeginPayload,
  options: { readonly now: number; readonly again: boolean },
): Verdict {
  const { snapshot } = holder.current;
  const { decision, effective, tags, state } = decide(
    snapshot,
    run.policyState,
    {
      server_name: payload.server_name,
      tool_name: payload.tool_name,
      args: payload.args,
      arg_keys: payload.uninspected?.arg_keys,
      identity: run.identity,
    },
    options.now,
  );
  if (!options.again) run.policyState = state;
  return { effective, ruled: decision, tags, policy: policyRef(snapshot), snapshot };
}

/** A decision as JSON, as answers carry it. */
export function decisionData(decision: Decision): JsonObject {
  const { action, rule_id, severity, reason_code, summary } = decision;
  return withExtras({ action, reason_code, rule_id, severity, summary }, decision);
}

/** A decision as its ledger entry holds it (Interface Pack §1.6). */
export function decisionEntryData(decision: Decision): JsonObject {
  const { action, rule_id, severity, reason_code, summary } = decision;
  return withExtras({ action, explain: { reason_code, summary }, rule_id, severity }, decision);
}

function withExtras(data: JsonObject, { backoff_ms: backoff, hint, terminate }: Decision): JsonObject {
  if (backoff === undefined && hint === undefined && terminate === undefined) return data;
  return {
    ...data,
    ...(backoff === undefined ? {} : { backoff_ms: backoff }),
    ...(hint === undefined ? {} : { hint }),
    ...(terminate === undefined ? {} : { terminate }),
  };
}
