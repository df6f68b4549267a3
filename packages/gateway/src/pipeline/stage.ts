import type { Call } from './call.js';
import type { Refusal } from './reply.js';
import type { Steps } from './steps.js';

/**
 * A stage lets a call pass, or refuses it: then no later stage runs. `again` sends it back to stage 3,
 * because the decision no longer holds or is followed by a new request (a redirect).
 */
export type StageResult = 'pass' | 'again' | Refusal;

/** A step that reads and verifies a frame. Nothing of the request is known before it. */
export interface Gate {
  readonly name: 'schema' | 'signature';
  run(call: Call): StageResult;
}

/** One step of the road that every request takes. ARCHITECTURE.md, "The pipeline". */
export interface Stage {
  readonly name: Exclude<StageName, Gate['name']>;
  run(call: Call, steps: Steps): StageResult | Promise<StageResult>;
}

/** As refusals are recorded. */
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
