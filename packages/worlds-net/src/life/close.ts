import { type JsonObject, type PayloadOf, redact, redactFsDiff } from '@subluminal/core-types';
import { type ActionOf, ENDS, life, refuse, success } from '@subluminal/gateway';
import type { Worlds } from '../worlds.js';

type StartedProgram = NonNullable<PayloadOf<'world.close'>['programs']>[number];

/** `world.close`: its network goes at once, whatever still runs there. */
export function worldClose(worlds: Worlds): ActionOf<'world.close'> {
  return life(ENDS, (call, payload) => ({
    record: () => {
      const { world_id: id, exact, approximate, reached, programs, programs_more: more } = payload;
      const { made, replaced, fs_diff: diff } = payload;
      if (!worlds.isOf(id, call.run.id)) return refuse('not_found', 'there is no such world in this run');
      const data = {
        req: call.requestFields,
        world_id: id,
        ...(exact === undefined ? {} : { exact }),
        ...(approximate === undefined ? {} : { approximate }),
        ...(reached === undefined ? {} : { reached }),
        ...(programs === undefined ? {} : { programs: programs.map((one) => shown(one)) }),
        ...(more === undefined ? {} : { programs_more: more }),
        ...(made === undefined ? {} : { made: made.map((path) => redact(path).text) }),
        ...(replaced === undefined ? {} : { replaced: replaced.map((path) => redact(path).text) }),
        ...(diff === undefined ? {} : { fs_diff: redactFsDiff(diff) }),
      };
      return [{ type: 'world_end', ts: call.now, runId: call.run.id, data }];
    },
    execute: () => {
      worlds.close(payload.world_id);
      return success({});
    },
  }));
}

/** Names of files may hold what looks like a credential. */
function shown({ path, by, count }: StartedProgram): JsonObject {
  return { path: redact(path).text, by: redact(by).text, count };
}
