import type { PolicyRule } from '@subluminal/core-types';

/** The outcome of one rule, or of the default, while a call was decided. */
export interface TraceStep {
  /** Null for the steps that belong to no rule. */
  readonly rule_id: string | null;
  readonly kind: PolicyRule['kind'] | 'default' | 'selectors' | 'waiver';
  readonly outcome: TraceOutcome;
  /** The field of the match that settled it, where one did. Never a value of the call. */
  readonly field?: string;
  /** Further remarks. */
  readonly note?: string;
  /** The count of a matching limit before this call; of several the one that has least left. */
  readonly meter?: Meter;
  /** All of them, where a rule has several. */
  readonly meters?: readonly Meter[];
}

/** The reading of one limit before the call. */
export interface Meter {
  readonly used: number;
  readonly limit: number;
  readonly unit: 'calls' | 'cost units' | 'write actions' | 'tokens' | 'errors' | 'repeats';
}

/**
 * `not_inspected`: an allow that would need arguments that nobody inspected. `tagged_unseen`: a tag given for
 * the same reason only as a possibility. `overrides`: an allow, or a waiver, that lifts other rules.
 * `lifted`: a rule that would refuse and is lifted. `counted`: a limit that holds and lets the call pass.
 * `not_asked`: an access rule below the one that decides.
 */
export type TraceOutcome =
  | 'disabled'
  | 'not_matched'
  | 'not_inspected'
  | 'not_asked'
  | 'tagged'
  | 'tagged_unseen'
  | 'allowed'
  | 'overrides'
  | 'blocked'
  | 'asks'
  | 'lifted'
  | 'counted'
  | 'limited'
  | 'error';
