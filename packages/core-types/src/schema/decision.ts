import { z } from 'zod';
import { JsonObjectSchema } from './json.js';

/** What may become of a call (Interface Pack §3.1). */
export const DecisionAction = z.enum(['ALLOW', 'BLOCK', 'THROTTLE', 'REJECT_WITH_HINT', 'TERMINATE_RUN']);
export type DecisionAction = z.infer<typeof DecisionAction>;

export const Severity = z.enum(['info', 'warn', 'critical']);
export type Severity = z.infer<typeof Severity>;

/** Which policy decided. */
export const PolicyRef = z.object({
  policy_id: z.string(),
  policy_version: z.string(),
  policy_hash: z.string(),
});
export type PolicyRef = z.infer<typeof PolicyRef>;

/** What an agent gets to correct itself (Interface Pack §3.2.4). */
export const Hint = z.object({
  hint_text: z.string(),
  suggested_args: JsonObjectSchema.nullable(),
  retry_advice: z.string().nullable(),
  hint_kind: z.enum(['ARG_FIX', 'BUDGET', 'RATE', 'SAFETY', 'OTHER']),
});
export type Hint = z.infer<typeof Hint>;

/** The decision on one call (Interface Pack §3.1). */
export const Decision = z
  .object({
    action: DecisionAction,
    rule_id: z.string().nullable(),
    severity: Severity,
    reason_code: z.string(),
    summary: z.string(),
    backoff_ms: z.number().int().nonnegative().optional(),
    hint: Hint.optional(),
    terminate: z.object({ terminate_code: z.string(), terminate_message: z.string() }).optional(),
  })
  .refine(
    (decision) => decision.action !== 'THROTTLE' || decision.backoff_ms !== undefined,
    'THROTTLE needs backoff_ms',
  )
  .refine(
    (decision) => decision.action !== 'REJECT_WITH_HINT' || decision.hint !== undefined,
    'REJECT_WITH_HINT needs hint',
  )
  .refine(
    (decision) => decision.action !== 'TERMINATE_RUN' || decision.terminate !== undefined,
    'TERMINATE_RUN needs terminate',
  );
export type Decision = z.infer<typeof Decision>;

/** `error.data` of a refused call (Interface Pack §3.2.2–§3.2.4). */
export const DecisionErrorData = z.object({
  subluminal: z.object({
    v: z.string(),
    action: DecisionAction.exclude(['ALLOW']),
    rule_id: z.string().nullable(),
    reason_code: z.string(),
    summary: z.string(),
    run_id: z.string(),
    call_id: z.string(),
    server_name: z.string(),
    tool_name: z.string(),
    args_hash: z.string(),
    policy: PolicyRef,
    backoff_ms: z.number().int().nonnegative().optional(),
    retry_advice: z.string().optional(),
    hint: Hint.optional(),
    audit_ref: z.string().optional(),
  }),
});
export type DecisionErrorData = z.infer<typeof DecisionErrorData>;
