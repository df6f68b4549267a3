import { type ActionOf, operate, read } from '@subluminal/gateway';
import type { Plane } from './plane.js';

/** The actions of the plane: one of a client's hooks, and two of the operator. */
export interface PlaneActions {
  readonly 'hook.context': ActionOf<'hook.context'>;
  readonly 'plane.learnt': ActionOf<'plane.learnt'>;
  readonly 'plane.forget': ActionOf<'plane.forget'>;
}

export function planeActions(plane: Pick<Plane, 'context' | 'forget' | 'learnt' | 'steers'>): PlaneActions {
  return {
    // A text that waits for an agent, once, and whether it is worth asking again soon.
    'hook.context': read((payload, { run }) => {
      const text = plane.context(run.id, payload);
      return { steers: plane.steers, ...(text === undefined ? {} : { text }) };
    }),
    'plane.learnt': read(() => ({ rows: [...plane.learnt()] })),
    'plane.forget': operate(() => ({ forgotten: plane.forget() })),
  };
}
