/** What became of one rule, or of the default, while a call was decided. */
export interface TraceStep {
  /** Null for the steps that belong to no rule. */
  readonly rule_id: string | null;
  readonly kind: 'allow' | 'deny' | 'tag' | 'default' | 'selectors';
  readonly outcome: TraceOutcome;
  /** The field of the match that settled it, where one did. Never a value of the call. */
  readonly field?: string;
  /** What else there is to say. */
  readonly note?: string;
}

/**
 * `not_inspected`: an allow that would need arguments that nobody inspected. `tagged_unseen`: a tag given for the same
 * reason only as a possibility.
 */
export type TraceOutcome =
  | 'disabled'
  | 'not_matched'
  | 'not_inspected'
  | 'tagged'
  | 'tagged_unseen'
  | 'allowed'
  | 'blocked'
  | 'error';
