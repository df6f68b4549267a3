import type { PolicyCall } from '../match/call.js';

/** Lets calls of a run pass a rule, as an allow at the top that overrides it would. */
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
