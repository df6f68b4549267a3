import * as z from 'zod';
import { Decision, DecisionAction, Hint, PolicyRef, Severity, requireActionFields } from './decision.js';
import { ClientName, EnvName } from './identity.js';
import { JsonObjectSchema, Rfc3339, Sha256Hex, Timestamp } from './json.js';
import { CallError, CallStatus, Transport } from './payloads/tool-call.js';
import { SecretSource } from './secret-binding.js';
import { RunStatus } from './payloads/run.js';

/** The fields that every event carries. A reader ignores fields that it does not know. */
const envelope = {
  v: z.string(),
  ts: Timestamp,
  run_id: z.string(),
  agent_id: z.string(),
  client: ClientName,
  env: EnvName,
  source: z.looseObject({ host_id: z.string(), proc_id: z.string(), shim_id: z.string() }),
  principal: z.string().optional(),
  workload: JsonObjectSchema.optional(),
};

const Mode = z.enum(['observe', 'guardrails', 'control']);

const CallName = {
  call_id: z.string(),
  server_name: z.string(),
  tool_name: z.string(),
  args_hash: Sha256Hex,
};

export const RunStartEvent = z.looseObject({
  ...envelope,
  type: z.literal('run_start'),
  run: z.looseObject({ started_at: Rfc3339, mode: Mode, meta: JsonObjectSchema.optional() }),
  policy: PolicyRef,
});

export const ToolCallStartEvent = z.looseObject({
  ...envelope,
  type: z.literal('tool_call_start'),
  call: z.looseObject({
    ...CallName,
    transport: Transport,
    bytes_in: z.number().int().nonnegative(),
    preview: z.looseObject({ truncated: z.boolean(), args_preview: z.string().optional() }),
    seq: z.number().int().positive(),
    tags: z.array(z.string()).optional(),
    timeout_ms: z.number().int().optional(),
  }),
});

export const ToolCallDecisionEvent = z.looseObject({
  ...envelope,
  type: z.literal('tool_call_decision'),
  call: z.looseObject(CallName),
  decision: z
    .looseObject({
      action: DecisionAction,
      rule_id: z.string().nullable(),
      severity: Severity,
      explain: z.looseObject({ summary: z.string(), reason_code: z.string() }),
      backoff_ms: Decision.shape.backoff_ms,
      hint: Decision.shape.hint,
      terminate: Decision.shape.terminate,
    })
    .superRefine(requireActionFields),
  policy: PolicyRef,
});

export const ToolCallEndEvent = z.looseObject({
  ...envelope,
  type: z.literal('tool_call_end'),
  call: z.looseObject(CallName),
  status: CallStatus,
  latency_ms: z.number().int().nonnegative(),
  bytes_out: z.number().int().nonnegative(),
  preview: z.looseObject({ truncated: z.boolean(), result_preview: z.string().optional() }),
  error: z.looseObject(CallError.shape).optional(),
});

export const RunEndEvent = z.looseObject({
  ...envelope,
  type: z.literal('run_end'),
  run: z.looseObject({
    ended_at: Rfc3339,
    status: RunStatus,
    summary: z.looseObject({
      calls_total: z.number().int(),
      calls_allowed: z.number().int(),
      calls_blocked: z.number().int(),
      calls_throttled: z.number().int(),
      errors_total: z.number().int(),
      duration_ms: z.number().int(),
    }),
  }),
});

/** `policy_loaded`, one of the optional types. */
export const PolicyLoadedEvent = z.looseObject({
  ...envelope,
  type: z.literal('policy_loaded'),
  policy: PolicyRef,
});

export const HintIssuedEvent = z.looseObject({
  ...envelope,
  type: z.literal('hint_issued'),
  call: z.looseObject({ call_id: z.string() }),
  hint: Hint,
});

/**
 * `secret_injection`: that a secret was bound, never what it is. Its fields stand under `secret`, because its
 * `source` would be the envelope's otherwise.
 */
export const SecretInjectionEvent = z.looseObject({
  ...envelope,
  type: z.literal('secret_injection'),
  secret: z.looseObject({
    inject_as: z.string(),
    secret_ref: z.string(),
    source: SecretSource,
    success: z.boolean(),
  }),
});

/** A heartbeat of a shim: the envelope alone. */
export const ShimHealthEvent = z.looseObject({ ...envelope, type: z.literal('shim_health') });

/** The envelope alone. */
export const BreakerTripEvent = z.looseObject({ ...envelope, type: z.literal('breaker_trip') });

/** Every event of Contract A, by its type. */
export const SublEvent = z.discriminatedUnion('type', [
  RunStartEvent,
  ToolCallStartEvent,
  ToolCallDecisionEvent,
  ToolCallEndEvent,
  RunEndEvent,
  PolicyLoadedEvent,
  HintIssuedEvent,
  SecretInjectionEvent,
  ShimHealthEvent,
  BreakerTripEvent,
]);
export type SublEvent = z.infer<typeof SublEvent>;

const KNOWN: ReadonlySet<string> = new Set(SublEvent.options.map(({ shape }) => shape.type.value));

/** An event of a type that a later version adds: its envelope, and what else it says. */
const LaterEvent = z.looseObject({
  ...envelope,
  type: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,63}$/)
    .refine((type) => !KNOWN.has(type)),
});

/** An event as a reader takes it: a known one in its form, and any other as it is. */
export const AnyEvent = z.union([SublEvent, LaterEvent]);
