import type { Decision, JsonObject, PolicyRef, ToolCallBeginPayload } from '@subluminal/core-types';
import { type Charge, decide, policyRef, type PolicySnapshot } from '@subluminal/policy';
import type { Run } from '../runs/run.js';
import type { PolicyHolder } from './holder.js';

/** The policy's answer to one call. */
export interface Verdict {
  /** What is enforced and recorded. */
  readonly effective: Decision;
  /** What the rules say; differs from `effective` in observe mode only. */
  readonly ruled: Decision;
  readonly tags: readonly string[];
  /** What the call took out of the run's limits. */
  readonly charge: Charge;
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
  options: { readonly now: number; readonly again: boolean; readonly argsHash: string },
): Verdict {
  const { snapshot } = holder.current;
  const { decision, effective, tags, charge } = decide(
    snapshot,
    run.policyState,
    {
      server_name: payload.server_name,
      tool_name: payload.tool_name,
      args: payload.args,
      arg_keys: payload.uninspected?.arg_keys,
      args_hash: options.argsHash,
      identity: run.identity,
    },
    options.now,
  );
  if (!options.again) run.policyState.apply(charge, options.now);
  return { effective, ruled: decision, tags, charge, policy: policyRef(snapshot), snapshot };
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
