import type { JsonObject, SublError } from '@subluminal/core-types';

/** The steps of `sub init`, in their order. Each can be skipped. */
export const STEPS = ['policy', 'gateway', 'servers', 'hooks', 'try'] as const;
export type StepName = (typeof STEPS)[number];

/** The outcome of one step. */
export interface Step {
  readonly step: StepName;
  /** `already`: there was nothing to do. `kept`: something else was asked for than stands there. */
  readonly outcome: 'done' | 'already' | 'kept' | 'skipped' | 'failed';
  /** For people: lowercase sentences without their ends. */
  readonly says: readonly string[];
  /** For programs, besides `step` and `outcome`. */
  readonly facts?: JsonObject;
  /** Each mistake that the step met; a step that went on all the same is `done` with them. */
  readonly problems?: readonly SublError[];
}

/** A step that nobody wanted. */
export function skipped(step: StepName, why = 'skipped'): Step {
  return { step, outcome: 'skipped', says: [why] };
}

/** A step that did not work. */
export function failed(step: StepName, problem: SublError): Step {
  return { step, outcome: 'failed', says: [], problems: [problem] };
}

/** Whether all that was asked for stands. */
export function isWell({ outcome, problems = [] }: Step): boolean {
  return outcome !== 'failed' && outcome !== 'kept' && problems.length === 0;
}
