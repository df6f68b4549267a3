import type { PolicyKind } from '../meter/charge.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import type { DecideResult } from '../decide/decide.js';

/**
 * A policy beside that of the home, made by `runPolicy` or `projectPolicy`. It takes away, and never gives.
 */
export interface Narrowing {
  readonly kind: Exclude<PolicyKind, 'home'>;
  readonly snapshot: PolicySnapshot;
}

/** The answers of the home's policy and of those that narrow it, and what follows from all of them. */
export interface Narrowed<One extends DecideResult = DecideResult> extends DecideResult {
  /**
   * Whose answer is enforced, as a place in `answers`: the strictest; of those that are alike that of which
   * would be without observe mode, then the first.
   */
  readonly by: number;
  /** That of the home first, the others in their order. */
  readonly answers: readonly [One, ...One[]];
}
