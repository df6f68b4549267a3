import type { Outcome } from '../outcome.js';
import type { Owner } from '../owner.js';
import type { Planned } from '../planned.js';
import type { CommitStep } from '../../plan/steps.js';

/** A step, and its number in the plan. */
export type Numbered<T extends CommitStep['does'] = CommitStep['does']> = Extract<
  CommitStep,
  { readonly does: T }
> & {
  readonly number: number;
};

/** A commit that goes on, for its single steps. */
export interface Doing {
  readonly token: string;
  readonly outcome: Outcome;
  readonly planned: Planned;
  /** Of what is new. */
  readonly owner: Owner;
}
