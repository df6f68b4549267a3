import type { Amount } from './amount.js';

/** The meters of one kind, by `groupOf` of their rule. */
export type Groups<Of> = Map<string, Of>;

/** What a budget has counted. */
export interface BudgetMeter {
  calls: number;
  writes: number;
  cost: Amount;
}
