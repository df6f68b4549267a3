import type { CheckpointMade, Skip } from '../entries.js';
import type { Action } from '../event.js';
import type { PlaneWindow } from '../window/window.js';
import type { Mechanism } from './mechanism.js';

/**
 * A call shows the checkpoint of the first mechanism that finds its trace in it; without one, a skip for each
 * mechanism whose trace it was meant to be and is not. Pure.
 */
export function tracesOf(
  event: Action,
  window: PlaneWindow,
  mechanisms: readonly Mechanism[],
): readonly [CheckpointMade] | readonly Skip[] {
  const misfits: Skip[] = [];
  for (const mechanism of mechanisms) {
    const facts = mechanism.evidence(event);
    if (facts !== undefined) {
      const looks = window.kinds.change + window.kinds.deliver === 0 ? 'ahead' : 'back';
      const name = mechanism.name.slice(0, 64);
      const { number } = window;
      return [{ type: 'plane.checkpoint', window: number, mechanism: name, looks, event: event.id, facts }];
    }
    const misfit = mechanism.misfit?.(event);
    if (misfit === undefined) continue;
    const lacks = misfit.lacks === undefined ? {} : { lacks: misfit.lacks };
    misfits.push({ type: 'plane.skip', what: 'checkpoint', window: window.number, reason: 'form', ...lacks });
  }
  return misfits;
}
