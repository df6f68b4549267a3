import type { Call } from '../../pipeline/call.js';
import type { RecordedSteps } from '../../pipeline/steps.js';
import { REACHES_NOTHING } from '../reaches-nothing.js';

/** Tells which of two moments an action of a run is served in all the same. */
export type Served = Pick<RecordedSteps, 'whenStopped' | 'whenFull'>;

/** Begins something: refused while everything is stopped, and while too much waits to be recorded. */
export const BEGINS: Served = { whenStopped: 'refused', whenFull: 'refused' };
/** Tells of something that has happened: taken while everything is stopped. */
export const TELLS: Served = { whenStopped: 'served', whenFull: 'refused' };
/** Ends something that was allowed: always taken. */
export const ENDS: Served = { whenStopped: 'served', whenFull: 'served' };

/** The steps that differ from one action on runs and their processes to another. */
export type LifeSteps = Pick<RecordedSteps, 'record' | 'execute'> & Partial<Pick<RecordedSteps, 'decide'>>;

/** An action on runs and their processes: its own entries are its record. */
export function life<P>(
  served: Served,
  begin: (call: Call, payload: P) => LifeSteps,
): (call: Call, payload: P) => RecordedSteps {
  return (call, payload) => ({ ...REACHES_NOTHING, ...served, result: 'none', ...begin(call, payload) });
}
