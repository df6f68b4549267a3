import { type JsonObject, newId, type PayloadOf, redact, SublError } from '@subluminal/core-types';
import {
  type ActionOf,
  type ActionTable,
  BEGINS,
  ENDS,
  life,
  refuse,
  refuseFor,
  success,
} from '@subluminal/gateway';
import { settingsData } from './settings-data.js';
import type { World } from './world.js';
import type { Worlds } from './worlds.js';

/** The actions of this wing. */
export type WorldActions = Pick<ActionTable, 'world.open' | 'world.close'>;

export interface WorldActionsParts {
  readonly worlds: Worlds;
  /** Why there is no world here; undefined where there is one. */
  readonly problem: () => string | undefined;
}

export function worldActions(parts: WorldActionsParts): WorldActions {
  return { 'world.open': worldOpen(parts), 'world.close': worldClose(parts.worlds) };
}

/**
 * `world.open`: the network is there before its entry, and serves nobody before the entry is durable: only
 * the answer tells where it is.
 */
function worldOpen({ worlds, problem }: WorldActionsParts): ActionOf<'world.open'> {
  return life(BEGINS, (call, payload) => {
    const id = newId();
    const { server_name: serverName, shim_id: shimId, folder, has_door, sandbox_off } = payload;
    let world: World | undefined;
    let isTold = false;
    return {
      decide: async () => {
        const why = problem();
        if (why !== undefined) return refuse('not_available', why);
        try {
          world = await worlds.open({
            id,
            runId: call.run.id,
            serverName,
            folder,
            hasDoor: has_door === true,
          });
        } catch (error) {
          if (!(error instanceof SublError)) throw error;
          return refuseFor(error);
        }
        call.atEnd(() => {
          if (!isTold) worlds.close(id);
        });
        return 'pass';
      },
      record: () => [
        {
          type: 'world_begin',
          ts: call.now,
          runId: call.run.id,
          data: {
            req: call.requestFields,
            world_id: id,
            ...(serverName === undefined ? {} : { server_name: redact(serverName).text }),
            ...(shimId === undefined ? {} : { shim_id: redact(shimId).text }),
            folder: redact(folder).text,
            ...(has_door === undefined ? {} : { has_door }),
            ...(sandbox_off === undefined ? {} : { sandbox_off }),
            network: 'full',
            ...(world?.profile === undefined ? {} : { profile: world.profile }),
          },
        },
      ],
      execute: () => {
        if (world === undefined) throw new Error('a world began without a network');
        isTold = true;
        const { door, doors } = world;
        const { pid, start } = doors.holder;
        const socket = door === undefined ? {} : { socket: door.socket };
        return success({
          world_id: id,
          network: 'full',
          holder: { pid, start },
          settings: settingsData(world.settings),
          ...socket,
        });
      },
    };
  });
}

/** Names of files may hold what looks like a credential. */
function shown({ path, by, count }: StartedProgram): JsonObject {
  return { path: redact(path).text, by: redact(by).text, count };
}

type StartedProgram = NonNullable<PayloadOf<'world.close'>['programs']>[number];

/** `world.close`: its network goes at once, whatever still runs there. */
function worldClose(worlds: Worlds): ActionOf<'world.close'> {
  return life(
    ENDS,
    (call, { world_id: id, exact, approximate, reached, programs, programs_more: more, made }) => ({
      record: () => {
        if (worlds.find(id, call.run.id) === undefined)
          return refuse('not_found', 'there is no such world in this run');
        const data = {
          req: call.requestFields,
          world_id: id,
          ...(exact === undefined ? {} : { exact }),
          ...(approximate === undefined ? {} : { approximate }),
          ...(reached === undefined ? {} : { reached }),
          ...(programs === undefined ? {} : { programs: programs.map((one) => shown(one)) }),
          ...(more === undefined ? {} : { programs_more: more }),
          ...(made === undefined ? {} : { made: made.map((path) => redact(path).text) }),
        };
        return [{ type: 'world_end', ts: call.now, runId: call.run.id, data }];
      },
      execute: () => {
        worlds.close(id);
        return success({});
      },
    }),
  );
}
