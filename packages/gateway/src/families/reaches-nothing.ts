import type { RecordedSteps } from '../pipeline/steps.js';

/**
 * The steps of every action that reaches no destination: its key permits it, which stage 2 has checked, and
 * nothing about it is unusual.
 */
export const REACHES_NOTHING = {
  decide: () => 'pass',
  admit: () => 'pass',
  unusual: () => [],
  recorded: () => undefined,
  concluded: () => 'pass',
  place: undefined,
  about: () => ({}),
} as const satisfies Partial<RecordedSteps>;
