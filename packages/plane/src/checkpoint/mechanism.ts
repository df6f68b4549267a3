import type { JsonObject } from '@subluminal/core-types';
import type { Action, FormFit } from '../event.js';

/**
 * A way in which an agent reassesses its work. Its trace in the events shows it, and no agent has to know
 * of it. Which mechanisms are configured changes no boundary.
 */
export interface Mechanism {
  readonly name: string;
  /** The trace of a reassessment in this call; undefined without one. Pure. */
  evidence(action: Action): JsonObject | undefined;
  /** A trace that this call was meant to be, and is not; undefined for any other call. Pure. */
  misfit?(action: Action): FormFit | undefined;
}
