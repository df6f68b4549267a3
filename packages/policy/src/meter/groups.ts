import type { Amount } from './amount.js';

/** The meters of one kind, by `groupOf` of their rule. */
export type Groups<Of> = Map<string, Of>;

/** The counts of a budget. */
export interface BudgetMeter {
  calls: number;
  writes: number;
  cost: Amount;
}
