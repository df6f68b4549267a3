import * as z from 'zod';
import { ClientName, EnvName, Workload } from '../identity.js';
import { JsonObjectSchema, Label, Sha256Hex } from '../json.js';
import { MAX_RUN_POLICY_CHARS } from './run.js';

/**
 * `hints.promote`: the rule that gave the hint is waived for this call's tool in its run, while the run
 * lives.
 */
export const HintsPromotePayload = z.strictObject({
  run_id: Label,
  call_id: z.string().regex(/^[A-Za-z0-9_-]{8,64}$/),
  /** For any arguments, and not for those of the call alone. */
  any_args: z.boolean().default(false),
});
export type HintsPromotePayload = z.infer<typeof HintsPromotePayload>;

/** The name of a project's policy. */
export const PROJECT_FILE = '.subluminal.yaml';

/** `policy.trust`: the text that the operator has seen, of a file of that name. */
export const PolicyTrustPayload = z.strictObject({
  file: z.string().min(1).max(4096),
  text: z.string().max(MAX_RUN_POLICY_CHARS),
});
export type PolicyTrustPayload = z.infer<typeof PolicyTrustPayload>;

/** `policy.untrust`. */
export const PolicyUntrustPayload = z.strictObject({ file: z.string().min(1).max(4096) });

/**
 * `policy.reload`. Nothing is loaded if the file says another policy than `policy_hash` by then, or another
 * one than `previous_hash` is in force.
 */
export const PolicyReloadPayload = z.strictObject({
  policy_hash: Sha256Hex.optional(),
  previous_hash: Sha256Hex.optional(),
});

/** `policy.show`; with the file of a project also the text of it that is trusted. */
export const PolicyShowPayload = z.strictObject({ project: z.string().min(1).max(4096).optional() });

/**
 * `policy.explain`: what the policy would say of a call, and why. Nothing is charged. With a run it is asked
 * with what the run has used up and as who the run is; without one, with nothing used up.
 */
export const PolicyExplainPayload = z.strictObject({
  run_id: Label.optional(),
  server_name: Label,
  tool_name: z.string().min(1).max(512),
  args: JsonObjectSchema,
  identity: z
    .strictObject({
      agent_id: Label,
      client: ClientName,
      env: EnvName,
      workload: Workload.optional(),
    })
    .optional(),
  /** The folder in which the call would be made: that of the run unless given. */
  cwd: z.string().min(1).max(4096).optional(),
  /** Epoch milliseconds; the gateway's own time unless given. */
  now: z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER).optional(),
});
export type PolicyExplainPayload = z.infer<typeof PolicyExplainPayload>;
