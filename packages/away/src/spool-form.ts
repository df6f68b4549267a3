import {
  ExactNumber,
  JsonObjectSchema,
  type JsonValue,
  Label,
  PolicyRef,
  ProcessIdentity,
  Severity,
  Sha256Hex,
  ToolCallEndPayload,
} from '@subluminal/core-types';
import * as z from 'zod';

/** The longest text that is kept of an argument. */
const MAX_VALUE = 128;
const Time = z.number().int().nonnegative();
const Text = z.string().max(2048);

/** The signed part of a snapshot as a spool repeats it. */
const Head = z.strictObject({
  v: z.literal(1),
  id: z.string().regex(/^[A-Za-z0-9_-]{22}$/),
  run_id: Label,
  shim_id: Label,
  server_name: Label,
  issued_ms: Time,
  expires_ms: Time,
  policy: PolicyRef,
  body_hash: Sha256Hex,
});

/** The first line: under which snapshot the others were written, and by which process. */
export const HeaderBody = z.strictObject({
  kind: z.literal('head'),
  head: Head,
  signature: z.string().max(128),
  owner: ProcessIdentity,
});
export type HeaderBody = z.infer<typeof HeaderBody>;

/** A call that the shim let through: durable before it was forwarded. */
export const BeginBody = z.strictObject({
  kind: z.literal('begin'),
  ms: Time,
  call_id: z.string().regex(/^[A-Za-z0-9_-]{8,64}$/),
  /** The id under which a gateway was asked and did not answer. */
  asked: z.string().regex(/^[A-Za-z0-9_-]{8,64}$/),
  tool_name: z.string().min(1).max(512),
  args_hash: Sha256Hex,
  /** The arguments that rules of the snapshot look at, and no others. */
  args: JsonObjectSchema.refine((args) => Object.values(args).every(isKept)),
  bytes_in: Time,
  preview: z.strictObject({ truncated: z.boolean(), redactions: Time, args_preview: Text }),
  tags: z.array(z.string().max(128)).max(64),
  decision: z.strictObject({
    rule_id: z.string().max(128).nullable(),
    severity: Severity,
    reason_code: Text,
    summary: Text,
  }),
});
export type BeginBody = z.infer<typeof BeginBody>;

/** As short and plain as a shim keeps them. */
function isKept(value: JsonValue): boolean {
  if (typeof value === 'string') return value.length <= MAX_VALUE;
  return value === null || typeof value !== 'object' || value instanceof ExactNumber;
}

/** How such a call ended, as far as the shim saw it. */
export const EndBody = z.strictObject({ kind: z.literal('end'), ms: Time, end: ToolCallEndPayload });
export type EndBody = z.infer<typeof EndBody>;
