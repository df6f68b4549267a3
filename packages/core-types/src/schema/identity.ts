import * as z from 'zod';
import { Label, recordOf } from './json.js';

/** Which program the agent runs in. */
export const ClientName = z.enum(['claude', 'codex', 'headless', 'custom', 'unknown']);
export type ClientName = z.infer<typeof ClientName>;

/** Where the agent runs. */
export const EnvName = z.enum(['dev', 'ci', 'prod', 'unknown']);
export type EnvName = z.infer<typeof EnvName>;

/** Desktop, CI or Kubernetes context of a run; consumers tolerate its absence. */
export const Workload = z.strictObject({
  user: Label.optional(),
  repo_path: z.string().max(4096).optional(),
  ci_provider: Label.optional(),
  job_id: Label.optional(),
  repo: Label.optional(),
  branch: Label.optional(),
  namespace: Label.optional(),
  service_account: Label.optional(),
  pod: Label.optional(),
  labels: recordOf(z.string(), z.string()).optional(),
});
export type Workload = z.infer<typeof Workload>;

/** A process that cannot be confused with a later one of the same number: pid and start time. */
export const ProcessIdentity = z.strictObject({
  pid: z.number().int().positive(),
  /** Start time as the system counts it (clock ticks since boot on Linux), as text. */
  start: z.string().regex(/^[0-9]{1,20}$/),
});
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;
