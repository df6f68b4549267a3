import type { Tier } from '../window/terms.js';

/** The most that the plane does at a boundary. */
export type Mode = 'gate' | 'observe' | 'steer';

/** A mode for each tier. Only what is protected can be withheld. */
export interface Modes {
  readonly low: 'observe' | 'steer';
  readonly ordinary: 'observe' | 'steer';
  readonly protected: Mode;
}

/** The operator names directors; everybody else is a worker. */
export type Role = 'director' | 'worker';

/** Nothing but entries. */
export const OBSERVE: Modes = { low: 'observe', ordinary: 'observe', protected: 'observe' };

/** The mode of a tier for a role. A director is steered where a worker would be held. */
export function modeOf(modes: Modes, tier: Tier, role: Role): Mode {
  const mode = modes[tier];
  return mode === 'gate' && role === 'director' ? 'steer' : mode;
}
