import { type ActionOf, life, operate, read, success, TELLS } from '@subluminal/gateway';
import type { Given } from './agents.js';
import type { Plane } from './plane.js';

/** The actions of the plane: one of a client's hooks, and two of the operator. */
export interface PlaneActions {
  readonly 'hook.context': ActionOf<'hook.context'>;
  readonly 'plane.learnt': ActionOf<'plane.learnt'>;
  readonly 'plane.forget': ActionOf<'plane.forget'>;
}

export function planeActions(plane: Pick<Plane, 'context' | 'forget' | 'learnt' | 'steers'>): PlaneActions {
  return {
    // A text that waits for an agent, once, and whether it is worth asking again soon. It is given once the
    // entry that says so is durable; without one nothing is.
    'hook.context': life(TELLS, ({ run }, payload) => {
      let given: Given | undefined;
      return {
        record: () => {
          given = plane.context(run.id, payload);
          return given === undefined ? 'own' : [given.entry];
        },
        execute: () =>
          success({ steers: plane.steers, ...(given === undefined ? {} : { text: given.text }) }),
      };
    }),
    'plane.learnt': read(() => ({ rows: [...plane.learnt()] })),
    'plane.forget': operate(() => ({ forgotten: plane.forget() })),
  };
}
