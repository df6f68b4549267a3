import type { JsonObject } from '@subluminal/core-types';
import type { Action } from '../event.js';

/**
 * A way in which an agent reassesses its work. Its trace in the events shows it, and no agent has to know
 * of it. Which mechanisms are configured changes no boundary.
 */
export interface Mechanism {
  readonly name: string;
  /** What this call shows of a reassessment; undefined if nothing. Pure. */
  evidence(action: Action): JsonObject | undefined;
}
