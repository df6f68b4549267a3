import {
  type Decision,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type PolicyRef,
} from '@subluminal/core-types';

const ACTIONS = [
  'ALLOW',
  'BLOCK',
  'THROTTLE',
  'REJECT_WITH_HINT',
  'TERMINATE_RUN',
] as const satisfies readonly Decision['action'][];
const SEVERITIES = ['info', 'warn', 'critical'] as const satisfies readonly Decision['severity'][];
const HINT_KINDS = ['ARG_FIX', 'BUDGET', 'RATE', 'SAFETY', 'OTHER'] as const;

/** The data of an answer to `tool.call.begin`. */
export interface DecisionData {
  readonly decision: Decision;
  readonly policy: PolicyRef;
  readonly argsHash: string;
  /** How long the call may take, in ms. */
  readonly timeoutMs: number | undefined;
}

/**
 * The decision in an answer's data; undefined when a field is missing or wrong, which then is no permission.
 * Checked by hand, because loading the schema library would double the start and the memory of a shim.
 */
export function decisionDataOf(data: JsonValue | undefined): DecisionData | undefined {
  if (!isJsonObject(data)) return undefined;
  const decision = decisionOf(data['decision']);
  const policy = policyOf(data['policy']);
  const argsHash = data['args_hash'];
  if (decision === undefined || policy === undefined || typeof argsHash !== 'string') return undefined;
  const { timeout_ms: timeout } = data;
  if (timeout !== undefined && !isTimeout(timeout)) return undefined;
  return { decision, policy, argsHash, timeoutMs: timeout };
}

/** A timer takes no more. */
const MAX_TIMEOUT_MS = 86_400_000;

function isTimeout(value: JsonValue): value is number {
  return typeof value === 'number' && value > 0 && value <= MAX_TIMEOUT_MS;
}

function decisionOf(value: JsonValue | undefined): Decision | undefined {
  if (!isJsonObject(value)) return undefined;
  const { rule_id: ruleId, reason_code: reason, summary, backoff_ms: backoff } = value;
  const action = ACTIONS.find((candidate) => candidate === value['action']);
  const severity = SEVERITIES.find((candidate) => candidate === value['severity']);
  if (action === undefined || severity === undefined) return undefined;
  if (typeof ruleId !== 'string' && ruleId !== null) return undefined;
  if (typeof reason !== 'string' || typeof summary !== 'string') return undefined;
  const decision: Decision = { action, rule_id: ruleId, severity, reason_code: reason, summary };
  if (action === 'THROTTLE') {
    if (typeof backoff !== 'number') return undefined;
    decision.backoff_ms = backoff;
    const advice = value['retry_advice'];
    if (typeof advice === 'string') decision.retry_advice = advice;
  }
  if (action === 'REJECT_WITH_HINT') {
    const hint = hintOf(value['hint']);
    if (hint === undefined) return undefined;
    decision.hint = hint;
  }
  if (action === 'TERMINATE_RUN') {
    const terminate = terminateOf(value['terminate']);
    if (terminate === undefined) return undefined;
    decision.terminate = terminate;
  }
  return decision;
}

/** The member `policy` of an answer; undefined where there is none. */
export function policyTold(data: JsonValue | undefined): PolicyRef | undefined {
  return isJsonObject(data) ? policyOf(data['policy']) : undefined;
}

function policyOf(value: JsonValue | undefined): PolicyRef | undefined {
  if (!isJsonObject(value)) return undefined;
  const { policy_id: id, policy_version: version, policy_hash: hash } = value;
  if (typeof id !== 'string' || typeof version !== 'string' || typeof hash !== 'string') return undefined;
  return { policy_id: id, policy_version: version, policy_hash: hash };
}

function hintOf(value: JsonValue | undefined): NonNullable<Decision['hint']> | undefined {
  if (!isJsonObject(value)) return undefined;
  const { hint_text: text, suggested_args: args, retry_advice: advice } = value;
  const kind = HINT_KINDS.find((candidate) => candidate === value['hint_kind']);
  if (typeof text !== 'string' || kind === undefined) return undefined;
  if (!isOptionalObject(args) || (advice !== null && typeof advice !== 'string')) return undefined;
  const hint = { hint_text: text, suggested_args: args, retry_advice: advice, hint_kind: kind };
  const approval = approvalOf(value['approval']);
  if (approval === null) return undefined;
  return approval === undefined ? hint : { ...hint, approval };
}

/** The question that a person was asked; undefined for none, null for one that cannot be read. */
function approvalOf(
  value: JsonValue | undefined,
): NonNullable<Decision['hint']>['approval'] | null | undefined {
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) return null;
  const { id, expires_at: expiresAt } = value;
  return typeof id === 'string' && typeof expiresAt === 'string' ? { id, expires_at: expiresAt } : null;
}

function isOptionalObject(value: JsonValue | undefined): value is JsonObject | null {
  return value === null || isJsonObject(value);
}

function terminateOf(value: JsonValue | undefined): NonNullable<Decision['terminate']> | undefined {
  if (!isJsonObject(value)) return undefined;
  const { terminate_code: code, terminate_message: message } = value;
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  return { terminate_code: code, terminate_message: message };
}
