import { SublError } from '@subluminal/core-types';
import { type ActionOf, BEGINS, life, refuse, refuseFor, success } from '@subluminal/gateway';
import type { World } from '../world.js';
import { begunData, opened } from './begun.js';
import type { OpeningParts } from './open.js';

/**
 * `world.resume`: the network that a world had from the gateway before this one is served again, under the
 * rules of now. It begins with an entry of its own, and no connection and no name passes before that is
 * durable; the run's own hooks and servers may ask.
 */
export function worldResume({ worlds, problem }: OpeningParts): ActionOf<'world.resume'> {
  return life(BEGINS, (call, { world_id: id, inside }) => {
    let world: World | undefined;
    let isTold = false;
    return {
      decide: async () => {
        const absent = problem();
        if (absent !== undefined) return refuse('not_available', absent);
        try {
          world = await worlds.resume(id, call.run.id, inside);
        } catch (error) {
          if (!(error instanceof SublError)) throw error;
          return refuseFor(error);
        }
        call.atEnd(() => {
          if (!isTold) worlds.abandon(id);
        });
        return 'pass';
      },
      record: () => {
        const begun = opened(world);
        const data = { req: call.requestFields, ...begunData(begun), resumed: begun.gateway };
        return [{ type: 'world_begin', ts: call.now, runId: call.run.id, data }];
      },
      execute: () => {
        isTold = true;
        worlds.serve(id);
        return success({});
      },
    };
  });
}
