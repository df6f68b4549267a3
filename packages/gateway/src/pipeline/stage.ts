import type { Call } from './call.js';
import type { Refusal } from './reply.js';
import type { Passed, Steps } from './steps.js';

/**
 * A stage lets a call pass, or refuses it: then no later stage runs. `again` sends it back to stage 3,
 * because the decision no longer holds or is followed by a new request (a redirect).
 */
export type StageResult = Passed | 'again' | Refusal;

export type Gated = Passed | Refusal | Promise<Passed | Refusal>;

/** A step that reads and verifies a frame. Nothing of the request is known before it. */
export interface Gate {
  readonly name: 'schema' | 'signature';
  run(call: Call): Gated;
}

/** One step of the road that every request takes. ARCHITECTURE.md, "The pipeline". */
export interface Stage {
  readonly name: Exclude<StageName, Gate['name']>;
  run(call: Call, steps: Steps): StageResult | Promise<StageResult>;
}

/**
 * The stages as entries name them. The names are a part of the format, and older than four of the files:
 * `allowlist` is `decide.ts`, `rate-limit` is `admit.ts`, `audit-pending` is `pending.ts`, and `audit-result`
 * is `result.ts`.
 */
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
