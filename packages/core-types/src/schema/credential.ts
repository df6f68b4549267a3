import * as z from 'zod';
import { CREDENTIAL_KINDS } from './actions.js';
import { ClientName, EnvName } from './identity.js';
import { Label } from './json.js';
import { PolicyRef } from './decision.js';

const Key = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'expected 32 bytes as base64url');

/**
 * The credential with which a client shakes hands: a derived key and what it was derived for. Never the
 * master key.
 */
export const Credential = z.strictObject({
  v: z.literal(1),
  kind: z.enum(CREDENTIAL_KINDS),
  id: Label,
  epoch: z.number().int().positive(),
  ledger_id: Label,
  key: Key,
});
export type Credential = z.infer<typeof Credential>;

/** `run/tickets/<pid>-<start>`: lets the processes below that one join its run. */
export const Ticket = z.strictObject({
  v: z.literal(1),
  run_id: Label,
  agent_id: Label,
  client: ClientName,
  env: EnvName,
  attested: z.boolean(),
  credential: Credential,
});
export type Ticket = z.infer<typeof Ticket>;

/** The data of a successful `run.begin`. */
export const RunOpened = z.object({
  run_id: Label,
  credential: Credential,
  attested: z.boolean(),
  mode: z.enum(['observe', 'guardrails', 'control']),
  policy: PolicyRef,
  /** Why the policy file is not what decides, for people. */
  policy_remark: z.string().nullish(),
  /** The folder of the run's project; null if it has none. */
  project: z.string().nullish(),
  /** The policy files of projects above that, and how each stands to what is trusted. */
  projects: z.array(z.object({ file: z.string(), state: z.string() })).optional(),
  /** Where the gateway's proxy is; null where it has none. */
  proxy: z.object({ port: z.number().int(), mode: z.enum(['observe', 'enforce']) }).nullish(),
});
export type RunOpened = z.infer<typeof RunOpened>;
