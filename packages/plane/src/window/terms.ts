import * as z from 'zod';
import type { Action } from '../event.js';
import { kindOf } from '../work/kind.js';

/** How much what is done in a window can cost. */
export type Tier = 'low' | 'ordinary' | 'protected';

export const TIERS = ['low', 'ordinary', 'protected'] as const;

export const tierSchema = z.enum(TIERS);

/** How far a window goes without a boundary. */
export interface Terms {
  readonly actions: number;
  readonly ms: number;
}

const MINUTE = 60_000;

/** Longer and quieter for what only looks, shorter for what cannot be taken back. */
export const STATIC_TERMS: Readonly<Record<Tier, Terms>> = {
  low: { actions: 120, ms: 60 * MINUTE },
  ordinary: { actions: 60, ms: 20 * MINUTE },
  protected: { actions: 15, ms: 5 * MINUTE },
};

/** The tier of an action. The policy says what is protected. */
export function tierOf(action: Action): Tier {
  if (action.isProtected === true) return 'protected';
  return kindOf(action) === 'explore' ? 'low' : 'ordinary';
}

/** The riskier one. */
export function riskier(one: Tier, other: Tier): Tier {
  return TIERS.indexOf(one) >= TIERS.indexOf(other) ? one : other;
}
