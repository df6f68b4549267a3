import type { PolicyCall } from '../match/call.js';

/**
 * Lifts a rule for calls of a run. Lifted, a deny allows them; a limit leaves what becomes of them to the
 * rest of the policy.
 */
export interface Waiver {
  readonly rule_id: string;
  readonly server_name: string;
  readonly tool_name: string;
  /** Null: whatever the arguments are. */
  readonly args_hash: string | null;
}

/** Whether a waiver is for this call. */
export function waives(waiver: Waiver, call: PolicyCall): boolean {
  return (
    waiver.tool_name === call.tool_name &&
    waiver.server_name === call.server_name &&
    (waiver.args_hash === null || waiver.args_hash === call.args_hash)
  );
}

/** Whether two waivers lift the same for the same calls: one that is given once more is no other. */
export function isSameWaiver(one: Waiver, other: Waiver): boolean {
  return (
    one.rule_id === other.rule_id &&
    one.server_name === other.server_name &&
    one.tool_name === other.tool_name &&
    one.args_hash === other.args_hash
  );
}
