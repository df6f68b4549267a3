import type { PipelineCall } from './call.js';
import type { Refusal } from './reply.js';

/**
 * A stage lets a call pass, or refuses it: then no later stage runs. `again` sends it back to the allowlist stage,
 * because what was decided there no longer holds or is followed by a new request (a redirect).
 */
export type StageResult = 'pass' | 'again' | Refusal;

/** One step of the road that every request takes. ARCHITECTURE.md, "The pipeline". */
export interface Stage {
  readonly name: StageName;
  run(call: PipelineCall): StageResult | Promise<StageResult>;
}

export type StageName =
  | 'schema'
  | 'signature'
  | 'stopped'
  | 'allowlist'
  | 'rate-limit'
  | 'anomaly'
  | 'audit-pending'
  | 'execute'
  | 'audit-result';
