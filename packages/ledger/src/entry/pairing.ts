import { KINDS } from './kinds.js';

/** The entries that one of some kind may refer to with `ref`. */
export interface PairingRule {
  /** Kinds that may be referred to; null: any earlier entry. */
  readonly target: readonly number[] | null;
  readonly required: boolean;
  readonly sameRun: boolean;
}

const RULES: ReadonlyMap<number, PairingRule> = new Map([
  [KINDS.tool_call_decision, { target: [KINDS.tool_call_start], required: true, sameRun: true }],
  [KINDS.tool_call_end, { target: [KINDS.tool_call_decision], required: true, sameRun: true }],
  [KINDS.action_result, { target: [KINDS.action_pending], required: true, sameRun: true }],
  [KINDS.action_pending, { target: [KINDS.approval_granted], required: false, sameRun: false }],
  [KINDS.upstream_end, { target: [KINDS.upstream_begin], required: false, sameRun: true }],
]);

const ANY: PairingRule = { target: null, required: false, sameRun: false };

/**
 * The rule that append enforces and verify checks for `ref` of one kind. Every `ref` is unique in the
 * ledger besides: one decision a call, one result a pending, one use a grant.
 */
export function pairingRule(kind: number): PairingRule {
  return RULES.get(kind) ?? ANY;
}
