import * as z from 'zod';
import { JsonObjectSchema, Label } from '../json.js';
import { ClientName, EnvName, ProcessIdentity, Workload } from '../identity.js';

/** The longest text of a policy that a run brings along. */
export const MAX_RUN_POLICY_CHARS = 262_144;

/**
 * `run.begin`. With the operator key the run is attested; with the enrol key it is not. The run ends when
 * `holder` does. The answer's data is a `RunOpened`.
 */
export const RunBeginPayload = z.strictObject({
  agent_id: Label,
  client: ClientName,
  env: EnvName,
  holder: ProcessIdentity,
  principal: Label.optional(),
  workload: Workload.optional(),
  claimed_run_id: Label.optional(),
  meta: JsonObjectSchema.optional(),
  /** Narrows what the policy of the home leaves, for as long as the run lives. With the operator key only. */
  policy: z
    .strictObject({ text: z.string().max(MAX_RUN_POLICY_CHARS), format: z.enum(['yaml', 'json']) })
    .optional(),
  /** The operator gave `agent_id` themselves, and no environment did. Counts with the operator key only. */
  named: z.literal(true).optional(),
  /** Nothing of the run is decided without the gateway, whatever the policy says of reads. */
  strict: z.literal(true).optional(),
});
export type RunBeginPayload = z.infer<typeof RunBeginPayload>;

/** How a run ended. */
export const RunStatus = z.enum(['SUCCEEDED', 'FAILED', 'TERMINATED', 'CANCELLED']);
export type RunStatus = z.infer<typeof RunStatus>;

/** `run.end`: a run ends itself; the operator names the run. */
export const RunEndPayload = z.strictObject({
  run_id: Label.optional(),
  status: RunStatus,
  message: z.string().max(1024).optional(),
});
export type RunEndPayload = z.infer<typeof RunEndPayload>;

/**
 * `verb.refused`: a process inside of a run asked for a verb of `sub` that is the operator's. The operator's
 * key names the run.
 */
export const VerbRefusedPayload = z.strictObject({
  verb: z
    .string()
    .max(64)
    .regex(/^[a-z]+(?: [a-z]+){0,2}$/),
  run_id: Label.optional(),
});

/** `run.read`: the state and counters of the caller's own run. */
export const RunReadPayload = z.strictObject({});
