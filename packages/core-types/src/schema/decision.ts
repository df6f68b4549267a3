import * as z from 'zod';
import { JsonObjectSchema } from './json.js';

/** The decisions on a call. */
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

/** The subject of a hint. */
export const HintKind = z.enum(['ARG_FIX', 'BUDGET', 'RATE', 'SAFETY', 'OTHER']);
export type HintKind = z.infer<typeof HintKind>;

/** The advice by which an agent corrects itself. */
export const Hint = z.object({
  hint_text: z.string(),
  suggested_args: JsonObjectSchema.nullable(),
  retry_advice: z.string().nullable(),
  hint_kind: HintKind,
  /** The question that a person was asked about the call, and until when they can answer (our extension). */
  approval: z.exactOptional(z.object({ id: z.string(), expires_at: z.string() })),
});
export type Hint = z.infer<typeof Hint>;

const Terminate = z.object({ terminate_code: z.string(), terminate_message: z.string() });

interface ActionFields {
  readonly action: DecisionAction;
  readonly backoff_ms?: number | undefined;
  readonly hint?: Hint | undefined;
  readonly terminate?: object | undefined;
}

/** The field that an action cannot do without. */
const REQUIRED_BY_ACTION: ReadonlyMap<DecisionAction, 'backoff_ms' | 'hint' | 'terminate'> = new Map([
  ['THROTTLE', 'backoff_ms'],
  ['REJECT_WITH_HINT', 'hint'],
  ['TERMINATE_RUN', 'terminate'],
]);

/** Zod check: the field that the action of a decision needs is there. */
export function requireActionFields(
  decision: ActionFields,
  check: z.core.$RefinementCtx<ActionFields>,
): void {
  const field = REQUIRED_BY_ACTION.get(decision.action);
  if (field !== undefined && decision[field] === undefined)
    check.addIssue({ code: 'custom', path: [field], message: `${decision.action} needs ${field}` });
}

/** The decision on one call. */
export const Decision = z
  .object({
    action: DecisionAction,
    rule_id: z.string().nullable(),
    severity: Severity,
    reason_code: z.string(),
    summary: z.string(),
    backoff_ms: z.number().int().nonnegative().optional(),
    /** When to come back, of a THROTTLE. */
    retry_advice: z.string().optional(),
    hint: Hint.optional(),
    terminate: Terminate.optional(),
  })
  .superRefine(requireActionFields);
export type Decision = z.infer<typeof Decision>;

/** `error.data` of a refused call. The reason of a TERMINATE_RUN stands in `reason_code` and `summary`. */
export const DecisionErrorData = z.object({
  subluminal: z
    .object({
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
      terminate: Terminate.optional(),
      audit_ref: z.string().optional(),
    })
    .superRefine((data, check) => {
      if (data.action !== 'TERMINATE_RUN') requireActionFields(data, check);
    }),
});
export type DecisionErrorData = z.infer<typeof DecisionErrorData>;
