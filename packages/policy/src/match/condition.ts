import type { PolicyCall } from './call.js';

/** `unknown`: it cannot be told, because the arguments were not inspected or a number has two readings. */
export type Match = 'yes' | 'no' | 'unknown';

/** The facts that the conditions of one decision look at. */
export interface Facts {
  readonly call: PolicyCall;
  /** Risk classes that tag rules have given the call so far. */
  readonly tags: readonly string[];
  /** Risk classes that it may have: given by tag rules that look at arguments nobody inspected. */
  readonly possibleTags: readonly string[];
  /** Epoch ms, as the clock says it. */
  readonly now: number;
}

/** One part of a rule's match; all parts of a rule have to match. */
export interface Condition {
  /** The field of the match, for explanations: `tool_name`, `args.key_equals.amount`. */
  readonly field: string;
  readonly test: (facts: Facts) => Match;
}
