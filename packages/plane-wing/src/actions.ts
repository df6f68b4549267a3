import { type ActionOf, read } from '@subluminal/gateway';
import type { Plane } from './plane.js';

/** The action by which a client's hooks ask for a text. */
export interface PlaneActions {
  readonly 'hook.context': ActionOf<'hook.context'>;
}

/** `hook.context`: a text that waits for an agent, once, and whether it is worth asking again soon. */
export function planeActions(plane: Pick<Plane, 'context' | 'steers'>): PlaneActions {
  return {
    'hook.context': read((payload, { run }) => {
      const text = plane.context(run.id, payload);
      return { steers: plane.steers, ...(text === undefined ? {} : { text }) };
    }),
  };
}
